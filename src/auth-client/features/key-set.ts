import type { JSONWebKeySet } from 'jose';
import type { AuthCore } from '../core.ts';
import { get } from '../wire/endpoints.ts';
import { type CallOptions, DEFAULT_TIMEOUT_MS } from '../wire/request.ts';
import { listOf, object, string } from '../../platform/schema.ts';

/** How long a key set is used, in milliseconds: 10 minutes. */
export const KEY_SET_MAX_AGE_MS = 600_000;
/** A token with an unknown key id fetches the key set again, but not more often than this. */
const UNKNOWN_KEY_REFETCH_MS = 30_000;

interface CachedKeySet {
  readonly keys: Promise<JSONWebKeySet>;
  readonly fetchedAtMs: number;
}

/** The key sets of this realm by their URL, shared by all clients, so that a server fetches each once per 10 minutes. */
const cache = new Map<string, CachedKeySet>();

const parseKeySet = object({ keys: listOf(object({ kty: string })) });

/** Returns the project's key set (RFC 7517), which has the key `kid` unless the server does not know that key. */
export async function getKeySet(core: AuthCore, kid: unknown, call: CallOptions): Promise<JSONWebKeySet> {
  const keySet = await core.waitFor(getCached(core, KEY_SET_MAX_AGE_MS), call);
  if (!kid || keySet.keys.some((key) => key.kid === kid)) return keySet;
  return core.waitFor(getCached(core, UNKNOWN_KEY_REFETCH_MS), call);
}

function getCached(core: AuthCore, maxAgeMs: number): Promise<JSONWebKeySet> {
  const { baseUrl, platform } = core;
  const nowMs = platform.clock.monotonicMs();
  const cached = cache.get(baseUrl);
  if (cached && nowMs - cached.fetchedAtMs < maxAgeMs) return cached.keys;
  const entry = { keys: fetchKeySet(core), fetchedAtMs: nowMs };
  cache.set(baseUrl, entry);
  // A failed request is not cached.
  entry.keys.catch(() => {
    if (cache.get(baseUrl) === entry) cache.delete(baseUrl);
  });
  return entry.keys;
}

/** Has its own deadline, not that of one caller: others share the request. */
async function fetchKeySet({ send }: AuthCore): Promise<JSONWebKeySet> {
  const parse = (body: unknown) => parseKeySet(body) as JSONWebKeySet;
  return send(get('/.well-known/jwks.json'), parse, { timeoutMs: DEFAULT_TIMEOUT_MS });
}
