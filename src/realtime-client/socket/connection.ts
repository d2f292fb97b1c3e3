import type { Platform, Unsubscribe } from '../../platform/platform.ts';
import type { RealtimeErrorCode } from '../errors.ts';
import type { Binding, Change, RowRecord } from '../changes/postgres-changes.ts';
import type { RealtimeSettings } from '../settings.ts';
import type { Readable } from '../machine/store.ts';
import type { ProtocolVersion } from './wire.ts';

/** Where channels get their changes: a socket of this tab's own, or one that the tabs of a user share. */
export interface Connection extends Readable<ConnectionSnapshot> {
  /** Frames that were malformed or of an unknown kind. */
  readonly ignoredFrames: number;
  /** Opens a topic; nothing is joined before {@link Topic.want}. At most one topic of a name is open at a time. */
  open(name: string, sink: TopicSink): Topic;
  /** Ends everything, for good. */
  close(): void;
}

export interface ConnectOptions {
  readonly url: string;
  readonly apiKey: string;
  readonly platform: Platform;
  readonly vsn: ProtocolVersion;
  readonly settings: RealtimeSettings;
  readonly getAccessToken: GetAccessToken;
  readonly onTokenChange?: OnTokenChange | undefined;
}

/** A token that is valid now, or null when nobody is signed in. `rejectedToken` names one that the server refused. */
export type GetAccessToken = (options?: { readonly rejectedToken?: string }) => Promise<string | null>;
export type OnTokenChange = (listener: (token: string | null) => void) => Unsubscribe;

/** `lost`: gone for longer than the grace; shorter interruptions are not shown. */
export interface ConnectionSnapshot {
  readonly status: 'idle' | 'connecting' | 'connected' | 'lost' | 'closed';
  /** Since when (wall clock, ms) the connection is gone; null while it is not. */
  readonly lostAtMs: number | null;
}

export interface Topic {
  /** Joins with at least these bindings, anew if one is missing; null leaves. */
  want(bindings: readonly Binding[] | null): void;
  /**
   * Sends an event and returns the server's response.
   *
   * @throws {RealtimeError} `push_overflow`, `push_timeout`, `push_refused`, `closed`
   */
  push(event: string, payload: unknown): Promise<unknown>;
}

export interface TopicSink {
  onStatus(snapshot: ChannelSnapshot): void;
  /** @param keys the bindings (see `bindingKey`) that the change is for. */
  onChange(keys: readonly string[], change: Change<RowRecord>): void;
  onGap(loss: ContinuityLoss): void;
}

/** All members can be cloned: the snapshot travels between tabs. */
export interface ChannelSnapshot {
  readonly status: ChannelStatus;
  readonly error: { readonly code: RealtimeErrorCode; readonly message: string } | null;
}

/**
 * `connecting`: not yet joined; `joined`: accepted, not yet subscribed; `live`: changes arrive; `recovering`: was live,
 * the client is bringing it back; `failed`: stopped, see `error`; `closed`: left.
 */
export type ChannelStatus = 'connecting' | 'joined' | 'live' | 'recovering' | 'failed' | 'closed';

/** Changes may be missing: read the rows again. Told when the channel is live, so that such a read misses nothing. */
export interface ContinuityLoss {
  readonly continuity: 'lost';
  /** Since when (wall clock, ms). Clocks differ: read with some overlap. */
  readonly sinceMs: number;
  /**
   * `rejoined` after an interruption; `resubscribed` by the server itself; `truncated`: a change came without its
   * data; `repeated`: one came again that was not the last, so it is late, or undoes what followed it; `invalid`: a
   * row did not satisfy its schema; `overflow`: more changes than the listener's queue holds.
   */
  readonly reason: 'rejoined' | 'resubscribed' | 'truncated' | 'repeated' | 'invalid' | 'overflow';
}
