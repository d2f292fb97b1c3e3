import { parseJson } from './wire.ts';

/** A text frame of the realtime service (protocol version 2.0.0). */
export interface Frame {
  readonly joinRef: string | null;
  readonly ref: string | null;
  readonly topic: string;
  readonly event: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

type Fields = readonly [Frame['joinRef'], Frame['ref'], string, string, Frame['payload']];

const noFields: Fields = [null, null, '', '', {}];

/** Decodes the array of version 2.0.0. Another text has no event, so that a faulty server fails audits and not the run. */
export function parseFrame(text: string): Frame {
  const parsed = parseJson(text);
  const [joinRef, ref, topic, event, payload] = Array.isArray(parsed)
    ? (parsed as unknown as Fields)
    : noFields;
  return { joinRef, ref, topic, event, payload };
}
