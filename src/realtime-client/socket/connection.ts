import type { GetAccessToken } from '../../platform/call-user.ts';
import type { Platform, Unsubscribe } from '../../platform/platform.ts';
import type { JoinConfig } from '../protocol/join-config.ts';
import type { RealtimeErrorCode } from '../errors.ts';
import type { RealtimeEvent } from '../events.ts';
import type { Bindings } from '../protocol/change.ts';
import type { RealtimeSettings } from '../settings.ts';
import type { Readable } from '../../platform/observable.ts';
import type { ChangeSink, ProtocolFeatures } from '../protocol/protocol-features.ts';
import type { ProtocolVersion } from '../protocol/message.ts';

/** The transport of the channels: this tab's own socket, or one shared by the tabs of a user. */
export interface Connection extends Readable<ConnectionSnapshot> {
  /** Number of frames that were malformed or of an unknown kind. */
  readonly ignoredFrames: number;
  /** Opens a topic; it is joined by {@link Topic.want}. At most one topic per name is open at a time. */
  open(name: string, sink: TopicSink): Topic;
  /** Opens the socket, and keeps it open without a topic, until it is called with false. A shared socket lacks it. */
  keepOpen?(isKept: boolean): void;
  /** Closes the connection permanently. */
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
  /** Further parameters of the websocket's URL. */
  readonly params?: Readonly<Record<string, string>> | undefined;
  readonly emit: (event: RealtimeEvent) => void;
  readonly features: ProtocolFeatures;
}

/** Subscribes to new access tokens; null after a sign-out. */
export type OnTokenChange = (listener: (token: string | null) => void) => Unsubscribe;

/** Whether the websocket is open, as a client's `getSnapshot()` returns it. */
export interface ConnectionSnapshot {
  /** `lost`: interrupted for longer than the grace period (`lostAfterMs`); shorter interruptions are not shown. */
  readonly status: 'idle' | 'connecting' | 'connected' | 'lost' | 'closed';
  /** When (wall clock, ms) the last frame arrived before the loss; null unless `lost`. */
  readonly lostAtMs: number | null;
}

export interface Topic {
  /** Joins with at least these bindings, again if the current join lacks one or has another config; null leaves. */
  want(bindings: Bindings | null, config: JoinConfig): void;
  /**
   * Sends an event and resolves with the server's response.
   *
   * @throws {RealtimeError} `channel-failed`, `push-overflow`, `push-timeout`, `push-refused`, `user-changed`, `closed`
   */
  push(event: string, payload: unknown): Promise<unknown>;
  /** Binds queued data to the present user; {@link TopicSink.onDiscard} discards it. */
  claim(): void;
  /** Sends an event without waiting for a reply; discarded while the channel is not joined. */
  send(event: string, payload: unknown): void;
  /** On a shared socket: declares this tab's presence to the leading tab, which tracks the tabs as one. */
  readonly track?: (entry: TabPresence | null) => void;
}

/** The presence entry of one tab. */
export interface TabPresence {
  /** The tracked entry. */
  readonly payload: Readonly<Record<string, unknown>>;
  /** Whether every tab is an entry, instead of the last one for all tabs. */
  readonly perTab: boolean;
}

export interface TopicSink extends ChangeSink {
  onStatus(snapshot: ChannelSnapshot): void;
  /** A broadcast, a presence message or a message of the server itself arrived. */
  onMessage(event: string, payload: unknown): void;
  /** The user changed: what is queued for the listeners belongs to the previous one. */
  onDiscard(): void;
}

/** The state of a channel. Structured-cloneable, because it is passed between tabs. */
export interface ChannelSnapshot {
  /** See {@link ChannelStatus}. */
  readonly status: ChannelStatus;
  /** Why the channel failed; null unless `failed`. */
  readonly error: { readonly code: RealtimeErrorCode; readonly message: string } | null;
}

/**
 * `connecting`: not yet joined; `joined`: accepted, subscription not confirmed; `live`: changes arrive; `recovering`:
 * was live and is being joined again; `failed`: stopped, see `error`; `closed`: left.
 */
export type ChannelStatus = 'connecting' | 'joined' | 'live' | 'recovering' | 'failed' | 'closed';
