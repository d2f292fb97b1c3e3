import type { Socket } from '../../../src/platform/platform.ts';

/** A decoded frame of the realtime service. */
export interface Frame {
  readonly joinRef: string | null;
  readonly ref: string | null;
  readonly topic: string;
  readonly event: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

type Fields = readonly [string | null, string | null, string, string, Frame['payload']];

/** Decodes a text frame: the array of version 2.0.0, or the object of version 1.0.0. */
export function parseFrame(text: string): Frame {
  const value = JSON.parse(text) as Fields | (Omit<Frame, 'joinRef'> & { readonly join_ref?: string | null });
  if (!('event' in value)) {
    const [joinRef, ref, topic, event, payload] = value;
    return { joinRef, ref, topic, event, payload };
  }
  const { join_ref: joinRef = null, ref, topic, event, payload } = value;
  return { joinRef, ref, topic, event, payload };
}

export interface AcceptedBinding {
  readonly id: number;
  readonly filter?: string;
}

/** The bindings of a join as an accepting server returns them, with ids from `firstId` on. */
export function acceptBindings(join: Pick<Frame, 'payload'>, firstId: number): readonly AcceptedBinding[] {
  const { postgres_changes: sent = [] } = (join.payload['config'] ?? {}) as {
    readonly postgres_changes?: readonly object[];
  };
  return sent.map((binding, index) => Object.assign(binding, { id: firstId + index }));
}

/** The payload of the system message that confirms a subscription. */
export const subscribed = {
  extension: 'postgres_changes',
  status: 'ok',
  message: 'Subscribed to PostgreSQL',
};

/** A socket that never opens, sends nothing and closes silently. */
export const createIdleSocket = (): Socket => ({
  send() {},
  close() {},
  bufferedAmount: 0,
  onOpen: null,
  onMessage: null,
  onClose: null,
});
