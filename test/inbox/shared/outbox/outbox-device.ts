import { Outbox } from '../../../../src/inbox/shared/outbox/outbox.ts';
import type { OutboxNotice } from '../../../../src/inbox/shared/outbox/outbox-topic.ts';
import type { OutboxOutcome } from '../../../../src/inbox/shared/outbox/outbox-state.ts';
import type { Platform } from '../../../../src/platform/platform.ts';
import { createFakeWorld, type FakeWorld } from '../../../support/fake-platform.ts';
import { createMemoryStorage } from '../../../support/memory-outbox-storage.ts';

/** The server was not reached: the same request may succeed later. */
export class Unreachable extends Error {}
/** The server refuses the request. */
export class Refused extends Error {}

interface Server {
  readonly requests: string[];
  readonly received: string[];
  problem: Error | null;
  outcome: OutboxOutcome['type'];
  /** Whether requests get no response. */
  hangs: boolean;
}

const responseMs = 50;

/** An action is a text `row:name`; that of the row `*` changes every row. */
export function createDevice(world: FakeWorld = createFakeWorld()) {
  const storage = createMemoryStorage();
  const server: Server = { requests: [], received: [], problem: null, outcome: 'sent', hangs: false };
  const notices: OutboxNotice[] = [];
  const openTab = (overrides: Partial<Platform> = {}) => {
    const tab = world.openTab(overrides);
    const shown: string[] = [];
    const settled: string[] = [];
    const outbox = new Outbox({
      userId: 'ada',
      storage,
      isRetryable: (problem) => problem instanceof Unreachable,
      notify: (notice) => notices.push(notice),
      platform: tab,
    });
    const add = outbox.addTopic<string, string>('rows', {
      parse: (payload) => (typeof payload === 'string' ? payload : null),
      keysOf: (payload) => (payload.startsWith('*') ? null : [payload.split(':')[0] ?? '']),
      send(payload) {
        server.requests.push(payload);
        return new Promise((resolve, reject) => {
          if (server.hangs) return;
          tab.clock.setTimer(() => {
            if (server.problem) return reject(server.problem);
            server.received.push(payload);
            resolve({ type: server.outcome, response: 'content' });
          }, responseMs);
        });
      },
      show: (_id, payload) => shown.push(payload),
      settle(_id, payload, { type }) {
        shown.splice(shown.indexOf(payload), 1);
        settled.push(`${payload} ${type}`);
      },
      repeat: (payload) => void add(payload),
    });
    void outbox.start();
    return { ...tab, tab, outbox, add, shown, settled };
  };
  return { world, server, storage, notices, openTab };
}

export const names = (pending: readonly { readonly payload: unknown }[]) =>
  pending.map(({ payload }) => payload);
