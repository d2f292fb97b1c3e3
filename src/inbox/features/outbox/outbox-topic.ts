import type { OutboxSender, OutboxTopic, WaitingChange } from '../../shared/outbox/outbox.ts';
import type { Outbox } from './outbox.ts';
import type { OutboxEntry } from './outbox-state.ts';

/** The part of an outbox that holds the changes of one kind. */
export function createTopic<Payload>(
  outbox: Outbox,
  name: string,
  { parse }: OutboxSender<Payload>,
): OutboxTopic<Payload> {
  let known: readonly OutboxEntry[] = [];
  let changes: readonly WaitingChange<Payload>[] = [];
  const read = ({ id, topic, payload }: OutboxEntry): readonly WaitingChange<Payload>[] => {
    const parsed = topic === name ? parse(payload) : null;
    return parsed === null ? [] : [{ id, payload: parsed }];
  };
  return {
    isBusy: outbox.isBusy,
    add: (id, payload, delayMs = 0) => outbox.add(name, id, payload, delayMs),
    release: outbox.release,
    withdraw: outbox.withdraw,
    confirm: outbox.confirm,
    getSnapshot() {
      const entries = outbox.getSnapshot();
      if (entries !== known) changes = entries.flatMap(read);
      known = entries;
      return changes;
    },
    subscribe: outbox.subscribe,
    onSettled: (listener) =>
      outbox.onSettled((entry, outcome) => {
        for (const change of read(entry)) listener(change, outcome);
      }),
  };
}
