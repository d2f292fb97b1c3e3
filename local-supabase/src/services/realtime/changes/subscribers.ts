import type { ChangeAction } from '../subscription/bindings.ts';
import type { Subscription } from '../subscription/subscription.ts';

/** A receiver of changes: a channel. */
export interface Subscriber {
  /** `data` is JSON text. */
  sendChange(bindingIds: readonly number[], action: ChangeAction, data: string): void;
}

export interface Subscribed {
  readonly subscriber: Subscriber;
  readonly subscription: Subscription;
}

/** The subscriptions, by table. */
export interface Subscribers {
  /** Replaces the subscriber's subscriptions atomically, so that no change is missed. */
  set(subscriber: Subscriber, subscriptions: readonly Subscription[]): void;
  delete(subscriber: Subscriber): void;
  of(relation: number): readonly Subscribed[];
  clear(): void;
  readonly size: number;
}

export function createSubscribers(): Subscribers {
  const bySubscriber = new Map<Subscriber, readonly Subscription[]>();
  const byRelation = new Map<number, Map<Subscriber, Subscription[]>>();
  const remove = (subscriber: Subscriber) => {
    for (const { relation } of bySubscriber.get(subscriber) ?? []) {
      const listeners = byRelation.get(relation);
      listeners?.delete(subscriber);
      if (listeners?.size === 0) byRelation.delete(relation);
    }
    bySubscriber.delete(subscriber);
  };
  return {
    set(subscriber, subscriptions) {
      remove(subscriber);
      if (subscriptions.length === 0) return;
      bySubscriber.set(subscriber, subscriptions);
      for (const subscription of subscriptions) {
        const listeners = byRelation.get(subscription.relation) ?? new Map<Subscriber, Subscription[]>();
        byRelation.set(subscription.relation, listeners);
        listeners.set(subscriber, [...(listeners.get(subscriber) ?? []), subscription]);
      }
    },
    delete: remove,
    of: (relation) =>
      [...(byRelation.get(relation) ?? [])].flatMap(([subscriber, subscriptions]) =>
        subscriptions.map((subscription) => ({ subscriber, subscription })),
      ),
    clear() {
      bySubscriber.clear();
      byRelation.clear();
    },
    get size() {
      return bySubscriber.size;
    },
  };
}
