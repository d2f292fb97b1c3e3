import type { Locks } from '../../platform/platform.ts';
import type { Store } from '../storage/store.ts';

/** As many flows may be pending; the oldest makes room. */
const SLOTS = 5;

export interface PendingFlow {
  readonly verifier: string;
  readonly isRecovery: boolean;
}

/** A verifier per flow, under keys that `@supabase/ssr` knows, so that a server can finish a flow begun here. */
export interface Slots {
  readonly store: Store;
  readonly locks: Locks;
  /** The session's storage key, from which theirs are derived. */
  readonly key: string;
}

export async function addFlow(
  slots: Slots,
  { verifier, isRecovery }: PendingFlow,
  id: string,
): Promise<void> {
  const { store, key } = slots;
  const value = JSON.stringify(verifier + (isRecovery ? '/recovery' : ''));
  await exclusively(slots, async () => {
    const ids = [...(await readIndex(slots)), id];
    for (const old of ids.slice(0, -SLOTS)) await store.remove(slotKey(key, old));
    await store.set(slotKey(key, id), value);
    await store.set(indexKey(key), JSON.stringify(ids.slice(-SLOTS)));
    await store.set(latestKey(key), value);
  });
}

/** Newest first. */
export async function listFlows(slots: Slots): Promise<PendingFlow[]> {
  const { store, key } = slots;
  const flows = new Map<string, PendingFlow>();
  const ids = (await readIndex(slots)).toReversed();
  for (const from of [latestKey(key), ...ids.map((id) => slotKey(key, id))]) {
    // Older versions of the vendor's client marked a recovery `/PASSWORD_RECOVERY`.
    const [verifier = '', mark] = await readSlot(store, from);
    if (verifier && !flows.has(verifier)) flows.set(verifier, { verifier, isRecovery: !!mark });
  }
  return [...flows.values()];
}

/** Forgets this flow alone. */
export async function removeFlow(slots: Slots, verifier: string): Promise<void> {
  const { store, key } = slots;
  const left: string[] = [];
  const holds = async (from: string) => (await readSlot(store, from))[0] === verifier;
  await exclusively(slots, async () => {
    for (const id of await readIndex(slots)) {
      if (await holds(slotKey(key, id))) await store.remove(slotKey(key, id));
      else left.push(id);
    }
    await (left[0] ? store.set(indexKey(key), JSON.stringify(left)) : store.remove(indexKey(key)));
    if (await holds(latestKey(key))) await store.remove(latestKey(key));
  });
}

/** Two flows that begin at once, also in two tabs, must not overwrite each other's entry in the index. */
function exclusively(slots: Slots, task: () => Promise<void>): Promise<void> {
  return slots.locks.hold(`lock:${slots.key}:flows`, task);
}

const latestKey = (key: string) => `${key}-code-verifier`;
const indexKey = (key: string) => `${key}-flows-code-verifier`;
const slotKey = (key: string, id: string) => `${key}-flow-${id}-code-verifier`;

async function read(store: Store, key: string): Promise<unknown> {
  try {
    return JSON.parse((await store.get(key)) ?? 'null');
  } catch {
    return null;
  }
}

async function readSlot(store: Store, key: string): Promise<string[]> {
  const value = await read(store, key);
  return typeof value === 'string' ? value.split('/') : [];
}

async function readIndex({ store, key }: Slots): Promise<string[]> {
  const ids = await read(store, indexKey(key));
  return Array.isArray(ids) ? ids.map(String) : [];
}
