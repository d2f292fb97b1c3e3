import { type LockPlatform, STORE_LOCK_WAIT_MS, withLock } from '../session/with-lock.ts';
import type { Platform } from '../../platform/platform.ts';
import type { AuthStore } from '../storage/store.ts';

/** Maximum number of pending flows; a further one evicts the oldest. */
const MAX_PENDING_FLOWS = 5;
/** The longest life of a mailed link (GoTrue's `MAILER_OTP_EXP`), a day; other flows live for minutes. */
const FLOW_MAX_AGE_MS = 86_400_000;

/** A PKCE flow that waits for its code. */
export interface PendingFlow {
  readonly verifier: string;
  readonly isRecovery: boolean;
}

/** Stores one verifier per flow, under keys that `@supabase/ssr` reads too, so that a server can finish the flow. */
export interface PendingFlowStore {
  readonly store: AuthStore;
  readonly platform: LockPlatform;
  /** The session's storage key, which prefixes the keys of the flows. */
  readonly key: string;
}

/** How a flow begins: a link in a message, or a redirect of the page to a provider. */
export type FlowKind = 'mail' | 'redirect';

/** The id contains the kind and the time of the flow, because the stored value is shared with `@supabase/ssr`. */
export function createFlowId({ platform }: FlowPlatform, kind: FlowKind): string {
  const random = Array.from(platform.random.bytes(16), (byte) => byte.toString(16).padStart(2, '0')).join('');
  return `${kind}-${platform.clock.now().toString(36)}-${random}`;
}

interface FlowPlatform {
  readonly platform: Pick<Platform, 'clock' | 'random'>;
}

/** Flows of other programs have no time in their ids and never count as ended. */
function hasEnded(id: string, nowMs: number): boolean {
  const started = /^(?:mail|redirect)-([0-9a-z]+)-/.exec(id)?.[1];
  return started !== undefined && nowMs - Number.parseInt(started, 36) > FLOW_MAX_AGE_MS;
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

/** Lists the pending flows, newest first; with an id only that flow, because the server would refuse another verifier. */
export async function listPendingFlows(flows: PendingFlowStore, id?: string): Promise<PendingFlow[]> {
  const { store, key, platform } = flows;
  const nowMs = platform.clock.now();
  if ((await readIndex(flows)).some((each) => hasEnded(each, nowMs)))
    await removeFlows(flows, (each) => hasEnded(each, nowMs));
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

export function removePendingFlow(flows: PendingFlowStore, verifier: string): Promise<void> {
  return removeFlows(flows, (_id, each) => each === verifier);
}

/** Removes the flows of mailed links, because the code in the message was used instead. */
export async function removeMailFlows(flows: PendingFlowStore): Promise<void> {
  const isOfMail = (id: string) => id.startsWith('mail-');
  if ((await readIndex(flows)).some(isOfMail)) await removeFlows(flows, isOfMail);
}

/** @param isRemoved receives the id of a flow, empty for the one that is stored without an id, and its verifier. */
async function removeFlows(
  flows: PendingFlowStore,
  isRemoved: (id: string, verifier: string) => boolean,
): Promise<void> {
  const { store, key } = flows;
  await exclusively(flows, async () => {
    const ids = await readIndex(flows);
    const removed = new Set<string>();
    const remaining: string[] = [];
    for (const id of ids) {
      const [verifier = ''] = await readVerifier(store, flowKey(key, id));
      if (!isRemoved(id, verifier)) {
        remaining.push(id);
        continue;
      }
      removed.add(verifier);
      await store.remove(flowKey(key, id));
    }
    if (remaining.length === 0) await store.remove(indexKey(key));
    else if (remaining.length < ids.length) await store.set(indexKey(key), JSON.stringify(remaining));
    const [latest = ''] = await readVerifier(store, latestKey(key));
    if (latest && (removed.has(latest) || isRemoved('', latest))) await store.remove(latestKey(key));
  });
}

/** Serializes writes of the index: two flows that begin at once, also in two tabs, must both be in it. */
function exclusively(flows: PendingFlowStore, task: () => Promise<void>): Promise<void> {
  return withLock(flows.platform, `lock:${flows.key}:flows`, STORE_LOCK_WAIT_MS, task);
}

const latestKey = (key: string) => `${key}-code-verifier`;
const indexKey = (key: string) => `${key}-flows-code-verifier`;
const flowKey = (key: string, id: string) => `${key}-flow-${id}-code-verifier`;

async function readJson(store: AuthStore, key: string): Promise<unknown> {
  try {
    return JSON.parse((await store.get(key)) ?? 'null');
  } catch {
    return null;
  }
}

async function readVerifier(store: AuthStore, key: string): Promise<string[]> {
  const value = await readJson(store, key);
  return typeof value === 'string' ? value.split('/') : [];
}

async function readIndex({ store, key }: PendingFlowStore): Promise<string[]> {
  const ids = await readJson(store, indexKey(key));
  return Array.isArray(ids) ? ids.map(String) : [];
}
