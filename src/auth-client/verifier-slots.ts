import type { Store } from './store.ts';

/** As many flows may be pending; the oldest makes room. */
const SLOTS = 5;

export interface PendingFlow {
  readonly verifier: string;
  readonly isRecovery: boolean;
}

/** A verifier per flow, under keys that `@supabase/ssr` knows, so that a server can finish a flow begun here. */
export interface VerifierSlots {
  add(flow: PendingFlow, id: string): Promise<void>;
  /** Newest first. */
  list(): Promise<PendingFlow[]>;
  /** Forgets this flow alone. */
  remove(verifier: string): Promise<void>;
}

export function createVerifierSlots(store: Store, key: string): VerifierSlots {
  const latestKey = `${key}-code-verifier`;
  const indexKey = `${key}-flows-code-verifier`;
  const slotKey = (id: string) => `${key}-flow-${id}-code-verifier`;
  const read = async (from: string) => {
    try {
      return JSON.parse((await store.get(from)) ?? 'null') as unknown;
    } catch {
      return null;
    }
  };
  const readSlot = async (from: string) => {
    const value = await read(from);
    return typeof value === 'string' ? value.split('/') : [];
  };
  const readIndex = async () => {
    const ids = await read(indexKey);
    return Array.isArray(ids) ? ids.map(String) : [];
  };
  return {
    async add({ verifier, isRecovery }, id) {
      const value = JSON.stringify(verifier + (isRecovery ? '/recovery' : ''));
      const ids = [...(await readIndex()), id];
      for (const old of ids.splice(0, Math.max(0, ids.length - SLOTS))) await store.remove(slotKey(old));
      await store.set(slotKey(id), value);
      await store.set(indexKey, JSON.stringify(ids));
      await store.set(latestKey, value);
    },
    async list() {
      const flows = new Map<string, PendingFlow>();
      for (const from of [latestKey, ...(await readIndex()).toReversed().map(slotKey)]) {
        // Older versions of the vendor's client marked a recovery `/PASSWORD_RECOVERY`.
        const [verifier = '', mark] = await readSlot(from);
        if (verifier && !flows.has(verifier)) flows.set(verifier, { verifier, isRecovery: !!mark });
      }
      return [...flows.values()];
    },
    async remove(verifier) {
      const left: string[] = [];
      const holds = async (from: string) => (await readSlot(from))[0] === verifier;
      for (const id of await readIndex()) {
        if (await holds(slotKey(id))) await store.remove(slotKey(id));
        else left.push(id);
      }
      await (left.length > 0 ? store.set(indexKey, JSON.stringify(left)) : store.remove(indexKey));
      if (await holds(latestKey)) await store.remove(latestKey);
    },
  };
}
