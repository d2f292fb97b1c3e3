import type { ChannelSnapshot, ConnectionSnapshot, ContinuityLoss } from '../socket/connection.ts';
import type { Binding, Change, RowRecord } from '../changes/postgres-changes.ts';
import { isRecord } from '../socket/wire.ts';

/** What the tabs of a user tell each other. Never a token, never a key of the project. */
export type TabMessage = FollowerMessage | LeaderMessage;

/**
 * `ask`: who leads? `want`: the bindings that a tab needs of a channel, null for none, `isAsked` unless the
 * tab only says it again; `bye`: the tab is gone; `wake`: it was shown or came online, the socket may be dead.
 */
export type FollowerMessage = { readonly from: string; readonly to: 'leader' } & (
  | { readonly kind: 'ask'; readonly term: number }
  | {
      readonly kind: 'want';
      readonly name: string;
      readonly bindings: readonly Binding[] | null;
      readonly isAsked: boolean;
    }
  | {
      readonly kind: 'push';
      readonly id: string;
      readonly name: string;
      readonly event: string;
      readonly payload: unknown;
    }
  | { readonly kind: 'bye' | 'wake' }
);

/** `keys` of a status: the bindings that it is about. `roll`: whoever needs a channel is to say so again. */
export type LeaderMessage = {
  readonly from: string;
  readonly to: 'followers';
  readonly term: number;
} & LeaderNews;

export type LeaderNews =
  | { readonly kind: 'lead' | 'roll' }
  | { readonly kind: 'connection'; readonly snapshot: ConnectionSnapshot }
  | {
      readonly kind: 'status';
      readonly name: string;
      readonly keys: readonly string[];
      readonly snapshot: ChannelSnapshot;
    }
  | {
      readonly kind: 'change';
      readonly name: string;
      readonly keys: readonly string[];
      readonly change: Change<RowRecord>;
    }
  | { readonly kind: 'gap'; readonly name: string; readonly loss: ContinuityLoss }
  | {
      readonly kind: 'pushed';
      readonly id: string;
      /** Of the server, also when it refused. */
      readonly response: unknown;
      readonly error: ChannelSnapshot['error'];
    };

/** Only tabs of this origin can post here, perhaps of another version of this code: the envelope is checked. */
export function parseTabMessage(value: unknown): TabMessage | null {
  const isMessage =
    isRecord(value) &&
    typeof value['from'] === 'string' &&
    typeof value['kind'] === 'string' &&
    (value['to'] === 'leader' || (value['to'] === 'followers' && typeof value['term'] === 'number'));
  return isMessage ? (value as unknown as TabMessage) : null;
}
