import type { Change } from '../../realtime-client/index.ts';
import type { Untyped } from '../untyped.ts';

/** Which changes a listener receives. */
export type RealtimePostgresChangesEvent = 'INSERT' | 'UPDATE' | 'DELETE' | '*';

interface PayloadBase {
  schema: string;
  table: string;
  /** ISO 8601. */
  commit_timestamp: string;
  /** Empty: a change that the server could not read is announced as lost. */
  errors: string[];
}

/** A row was added. */
export interface RealtimePostgresInsertPayload<T> extends PayloadBase {
  /** Always `INSERT`. */
  eventType: 'INSERT';
  /** The added row. */
  new: T;
  /** Always empty. */
  old: object;
}
/** A row was changed. */
export interface RealtimePostgresUpdatePayload<T> extends PayloadBase {
  /** Always `UPDATE`. */
  eventType: 'UPDATE';
  /** The row after the change. */
  new: T;
  /** The columns of its replica identity before the change. */
  old: Partial<T>;
}
/** A row was deleted. */
export interface RealtimePostgresDeletePayload<T> extends PayloadBase {
  /** Always `DELETE`. */
  eventType: 'DELETE';
  /** Always empty. */
  new: object;
  /** The columns of its replica identity. */
  old: Partial<T>;
}
/** A change of a row. */
export type RealtimePostgresChangesPayload<T> =
  | RealtimePostgresInsertPayload<T>
  | RealtimePostgresUpdatePayload<T>
  | RealtimePostgresDeletePayload<T>;

export type PayloadOf<Event, T> = Event extends 'INSERT'
  ? RealtimePostgresInsertPayload<T>
  : Event extends 'UPDATE'
    ? RealtimePostgresUpdatePayload<T>
    : Event extends 'DELETE'
      ? RealtimePostgresDeletePayload<T>
      : RealtimePostgresChangesPayload<T>;

/** A native change in the vendor's form. */
export function toChangesPayload<T extends object>(change: Change<T>): RealtimePostgresChangesPayload<T> {
  const { schema, table, commitTimestamp: commit_timestamp } = change;
  const base = { schema, table, commit_timestamp, errors: [] };
  switch (change.type) {
    case 'INSERT':
      return { ...base, eventType: 'INSERT', new: change.record, old: {} };
    case 'UPDATE':
      return { ...base, eventType: 'UPDATE', new: change.record, old: change.oldRecord };
    case 'DELETE':
      return { ...base, eventType: 'DELETE', new: {}, old: change.oldRecord };
  }
}

/** A received broadcast. */
export interface BroadcastPayload<T = Untyped> {
  /** Always `broadcast`. */
  type: 'broadcast';
  /** The event's name. */
  event: string;
  /** What was sent. */
  payload: T;
  /** The id of a broadcast of the database, and whether it was sent earlier. */
  meta?: { id: string; replayed?: boolean };
  [key: string]: Untyped;
}

/** Who is present, by key. */
export type RealtimePresenceState<T = object> = Record<string, ({ presence_ref: string } & T)[]>;
/** A key appeared. */
export interface RealtimePresenceJoinPayload<T> {
  /** Always `join`. */
  event: 'join';
  /** The presence key. */
  key: string;
  /** The entries of the key before the change. */
  currentPresences: ({ presence_ref: string } & T)[];
  /** The entries of the key after the change. */
  newPresences: ({ presence_ref: string } & T)[];
}
/** A key disappeared. */
export interface RealtimePresenceLeavePayload<T> {
  /** Always `leave`. */
  event: 'leave';
  /** The presence key. */
  key: string;
  /** The entries of the key that remain. */
  currentPresences: ({ presence_ref: string } & T)[];
  /** The entries of the key that left. */
  leftPresences: ({ presence_ref: string } & T)[];
}

/** What the server says of a channel, for example that it sends the changes from now on. */
export interface RealtimeSystemPayload {
  /** After `error` the channel joins again, or has failed. */
  status: 'ok' | 'error';
  /** The subject: `postgres_changes`, or `system` for the channel itself. */
  extension: string;
  /** Human-readable. */
  message: string;
  /** The channel's name. */
  channel: string;
}

/** Statuses that `subscribe` reports. */
export const REALTIME_SUBSCRIBE_STATES = {
  SUBSCRIBED: 'SUBSCRIBED',
  TIMED_OUT: 'TIMED_OUT',
  CLOSED: 'CLOSED',
  CHANNEL_ERROR: 'CHANNEL_ERROR',
} as const;
/** A status that `subscribe` reports. */
export type REALTIME_SUBSCRIBE_STATES = keyof typeof REALTIME_SUBSCRIBE_STATES;

/** The states of a channel. */
export const REALTIME_CHANNEL_STATES = {
  closed: 'closed',
  errored: 'errored',
  joined: 'joined',
  joining: 'joining',
  leaving: 'leaving',
} as const;

/** What `on` listens to. */
export const REALTIME_LISTEN_TYPES = {
  BROADCAST: 'broadcast',
  PRESENCE: 'presence',
  POSTGRES_CHANGES: 'postgres_changes',
  SYSTEM: 'system',
} as const;
/** Which changes `on` listens to. */
export const REALTIME_POSTGRES_CHANGES_LISTEN_EVENT = {
  ALL: '*',
  INSERT: 'INSERT',
  UPDATE: 'UPDATE',
  DELETE: 'DELETE',
} as const;
/** What `on` of presence listens to. */
export const REALTIME_PRESENCE_LISTEN_EVENTS = { SYNC: 'sync', JOIN: 'join', LEAVE: 'leave' } as const;

/** The native client sends a `Uint8Array` as bytes; the vendor's also an `ArrayBuffer` and other views. */
export function toBinary(payload: unknown): unknown {
  if (payload instanceof ArrayBuffer) return new Uint8Array(payload);
  if (!ArrayBuffer.isView(payload) || payload instanceof Uint8Array) return payload;
  return new Uint8Array(payload.buffer, payload.byteOffset, payload.byteLength);
}

/** Returns bytes as the `ArrayBuffer` that the vendor's listeners get. */
export function fromBinary(payload: unknown): unknown {
  return payload instanceof Uint8Array ? payload.slice().buffer : payload;
}
