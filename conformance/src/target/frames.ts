/** A text frame of the realtime service (protocol version 2.0.0). */
export interface Frame {
  readonly joinRef: string | null;
  readonly ref: string | null;
  readonly topic: string;
  readonly event: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

type Fields = readonly [Frame['joinRef'], Frame['ref'], string, string, Frame['payload']];

/** Decodes the array of version 2.0.0. */
export function parseFrame(text: string): Frame {
  const [joinRef, ref, topic, event, payload] = JSON.parse(text) as Fields;
  return { joinRef, ref, topic, event, payload };
}
