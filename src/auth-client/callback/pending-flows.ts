import { type LockPlatform, STORE_LOCK_WAIT_MS, withLock } from '../session/with-lock.ts';
import type { Store } from '../storage/store.ts';

/** How many flows may be pending; a further one evicts the oldest. */
const MAX_PENDING_FLOWS = 5;

/** A PKCE flow that waits for its code. */
export interface PendingFlow {
  readonly verifier: string;
  readonly isRecovery: boolean;
}

/** Where the verifiers are: one per flow, under keys that `@supabase/ssr` reads too, so that a server can finish a flow. */
export interface PendingFlowStore {
  readonly store: Store;
  readonly platform: LockPlatform;
  /** The session's storage key, the prefix of theirs. */
  readonly key: string;
}

export async function addPendingFlow(
  flows: PendingFlowStore,
  { verifier, isRecovery }: PendingFlow,
  id: string,
): Promise<void> {
  const { store, key } = flows;
  const value = JSON.stringify(verifier + (isRecovery ? '/recovery' : ''));
  await exclusively(flows, async () => {
    const ids = [...(await readIndex(flows)), id];
    for (const evicted of ids.slice(0, -MAX_PENDING_FLOWS)) await store.remove(flowKey(key, evicted));
    await store.set(flowKey(key, id), value);
    await store.set(indexKey(key), JSON.stringify(ids.slice(-MAX_PENDING_FLOWS)));
    await store.set(latestKey(key), value);
  });
}

/** Lists the pending flows, newest first; with an id, that flow alone: the verifier of another one would be refused. */
export async function listPendingFlows(flows: PendingFlowStore, id?: string): Promise<PendingFlow[]> {
  const { store, key } = flows;
  const byVerifier = new Map<string, PendingFlow>();
  const ids = id === undefined ? (await readIndex(flows)).toReversed() : [id];
  const keys = ids.map((each) => flowKey(key, each));
  if (id === undefined) keys.unshift(latestKey(key));
  for (const verifierKey of keys) {
    // Older versions of the vendor's client mark a recovery `/PASSWORD_RECOVERY`.
    const [verifier = '', mark] = await readVerifier(store, verifierKey);
    if (verifier && !byVerifier.has(verifier)) byVerifier.set(verifier, { verifier, isRecovery: !!mark });
  }
  return [...byVerifier.values()];
}

/** Removes the flow with this verifier. */
export async function removePendingFlow(flows: PendingFlowStore, verifier: string): Promise<void> {
  const { store, key } = flows;
  const remaining: string[] = [];
  const holdsVerifier = async (of: string) => (await readVerifier(store, of))[0] === verifier;
  await exclusively(flows, async () => {
    for (const id of await readIndex(flows)) {
      if (await holdsVerifier(flowKey(key, id))) await store.remove(flowKey(key, id));
      else remaining.push(id);
    }
    await (remaining.length > 0
      ? store.set(indexKey(key), JSON.stringify(remaining))
      : store.remove(indexKey(key)));
    if (await holdsVerifier(latestKey(key))) await store.remove(latestKey(key));
  });
}

/** Serializes writes of the index: two flows that begin at once, also in two tabs, must both be in it. */
function exclusively(flows: PendingFlowStore, task: () => Promise<void>): Promise<void> {
  return withLock(flows.platform, `lock:${flows.key}:flows`, STORE_LOCK_WAIT_MS, task);
}

const latestKey = (key: string) => `${key}-code-verifier`;
const indexKey = (key: string) => `${key}-flows-code-verifier`;
const flowKey = (key: string, id: string) => `${key}-flow-${id}-code-verifier`;

async function readJson(store: Store, key: string): Promise<unknown> {
  try {
    return JSON.parse((await store.get(key)) ?? 'null');
  } catch {
    return null;
  }
}

async function readVerifier(store: Store, key: string): Promise<string[]> {
  const value = await readJson(store, key);
  return typeof value === 'string' ? value.split('/') : [];
}

async function readIndex({ store, key }: PendingFlowStore): Promise<string[]> {
  const ids = await readJson(store, indexKey(key));
  return Array.isArray(ids) ? ids.map(String) : [];
}
