import type { HttpLogEvent } from '../platform/log.ts';

/** What happened in the client, for logs and metrics. Never contains tokens or payloads. */
export type RealtimeEvent =
  /** The request of an HTTP broadcast has ended. */
  | HttpLogEvent
  | { readonly type: 'socket'; readonly state: string }
  /** A heartbeat was acknowledged after `latencyMs` milliseconds. */
  | { readonly type: 'heartbeat'; readonly latencyMs: number }
  /** A channel's state changed; `reason` after a failure. */
  | {
      readonly type: 'channel';
      readonly name: string;
      readonly state: string;
      readonly reason: string | null;
    }
  /** A feature waits because of a rate limit. */
  | { readonly type: 'throttled'; readonly name: string; readonly waitMs: number };
