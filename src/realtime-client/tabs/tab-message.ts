import type { ChannelSnapshot, ConnectionSnapshot, TabPresence } from '../socket/connection.ts';
import type { JoinConfig } from '../protocol/join-config.ts';
import type { RealtimeEvent } from '../events.ts';
import type { Binding, Change, ContinuityLoss, RowRecord } from '../protocol/change.ts';
import { isRecord } from '../json.ts';

/** A message between the tabs of a user. Never contains a token or a key of the project. */
export type TabMessage = FollowerMessage | LeaderMessage;

/**
 * `ask`: asks for the leader; `want`: the bindings that a tab needs on a channel, null for none, `isRequested` unless
 * the tab repeats them; `bye`: the tab closes; `wake`: the tab became visible or online, so the socket may be dead.
 */
export type FollowerMessage = { readonly from: string; readonly to: 'leader' } & (
  | { readonly type: 'ask'; readonly term: number }
  | {
      readonly type: 'want';
      readonly name: string;
      readonly bindings: readonly Binding[] | null;
      readonly config: JoinConfig;
      readonly isRequested: boolean;
    }
  /** What the tab tracks in the channel's presence; null: it stops tracking. */
  | { readonly type: 'track'; readonly name: string; readonly entry: TabPresence | null }
  | { readonly type: 'send'; readonly name: string; readonly event: string; readonly payload: unknown }
  | {
      readonly type: 'push';
      readonly id: string;
      readonly name: string;
      readonly event: string;
      readonly payload: unknown;
    }
  | { readonly type: 'bye' | 'wake' }
);

/** `keys` of a status: the joined bindings. `roll`: the tabs must repeat their wants. */
export type LeaderMessage = {
  readonly from: string;
  readonly to: 'followers';
  readonly term: number;
} & LeaderNews;

export type LeaderNews =
  | { readonly type: 'lead' | 'roll' }
  | { readonly type: 'connection'; readonly snapshot: ConnectionSnapshot }
  | {
      readonly type: 'status';
      readonly name: string;
      readonly keys: readonly string[];
      readonly snapshot: ChannelSnapshot;
    }
  | {
      readonly type: 'change';
      readonly name: string;
      readonly keys: readonly string[];
      readonly change: Change<RowRecord>;
    }
  | { readonly type: 'gap'; readonly name: string; readonly loss: ContinuityLoss }
  | {
      readonly type: 'message';
      readonly name: string;
      readonly event: string;
      readonly payload: unknown;
      /** The tab that sent the broadcast, which does not receive it. */
      readonly except: string | null;
    }
  | { readonly type: 'event'; readonly event: RealtimeEvent }
  /** The user changed: drop what is queued. */
  | { readonly type: 'discard'; readonly name: string }
  | {
      readonly type: 'pushed';
      readonly id: string;
      /** The server's response, also of a refusal. */
      readonly response: unknown;
      readonly error: ChannelSnapshot['error'];
    };

/** Validates the envelope, because a tab may run another version of this code. Only tabs of this origin can post. */
export function parseTabMessage(value: unknown): TabMessage | null {
  const isMessage =
    isRecord(value) &&
    typeof value['from'] === 'string' &&
    typeof value['type'] === 'string' &&
    (value['to'] === 'leader' || (value['to'] === 'followers' && typeof value['term'] === 'number'));
  return isMessage ? (value as unknown as TabMessage) : null;
}
