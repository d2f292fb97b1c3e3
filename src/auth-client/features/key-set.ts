import type { JSONWebKeySet } from 'jose';
import type { AuthCore } from '../core.ts';
import { get } from '../wire/endpoints.ts';
import { type CallOptions, DEFAULT_TIMEOUT_MS } from '../wire/request.ts';
import { shareRequest, type SharedRequestSlot } from '../wire/shared-request.ts';
import { listOf, object, string } from '../../platform/schema.ts';

/** How long a key set is used, in milliseconds: 10 minutes. */
export const KEY_SET_MAX_AGE_MS = 600_000;
/** A token with an unknown key id fetches the key set again, but not more often than this. */
const UNKNOWN_KEY_REFETCH_MS = 30_000;
/**
 * Maximum number of refused tokens with unknown keys per `UNKNOWN_KEY_REFETCH_MS`; further tokens are not sent to the server.
 */
const MAX_REFUSALS = 10;

/** The key set of one auth server, and what is known about keys that it lacks. */
interface CachedKeySet extends SharedRequestSlot<JSONWebKeySet> {
  keySet: JSONWebKeySet | null;
  fetchedAtMs: number;
  /** When the last request began, whatever its outcome. */
  requestedAtMs: number;
  /** Ids of keys that the set lacks and the server accepts. */
  readonly acceptedKeyIds: Set<unknown>;
  refusals: number;
  refusalsSinceMs: number;
}

/** The key sets of this realm by their URL, shared by all clients, so that a server fetches each once per 10 minutes. */
const cache = new Map<string, CachedKeySet>();

const parseKeySet = object({ keys: listOf(object({ kty: string })) });

/**
 * Returns the project's key set (RFC 7517) if it has the key `kid`, which may need a request; null if it lacks the key. If
 * the request for an unknown key fails, the cached key set stays in use.
 */
export async function getKeySet(
  core: AuthCore,
  kid: unknown,
  call: CallOptions,
): Promise<JSONWebKeySet | null> {
  const cached = cachedOf(core);
  const nowMs = core.platform.clock.monotonicMs();
  const known = cached.keySet && nowMs - cached.fetchedAtMs < KEY_SET_MAX_AGE_MS ? cached.keySet : null;
  const keySet = known ?? (await core.waitFor(refetch(core, cached), call));
  const hasKey = ({ keys }: JSONWebKeySet) => keys.some((key) => key.kid === kid);
  if (hasKey(keySet)) return keySet;
  if (!cached.shared && nowMs - cached.requestedAtMs < UNKNOWN_KEY_REFETCH_MS) return null;
  const newest = await core.waitFor(
    refetch(core, cached).catch(() => keySet),
    call,
  );
  return hasKey(newest) ? newest : null;
}

/**
 * Lets the server verify a token with a key that the key set lacks, as after a key rotation. After ten refusals in 30 s only
 * tokens of accepted keys are sent, so that forged key ids cannot multiply requests.
 *
 * @returns null if no request is sent.
 * @throws what `verify` throws.
 */
export async function verifyUnknownKey<T>(
  core: AuthCore,
  kid: unknown,
  { verify, isRefusal }: { verify(): Promise<T>; isRefusal(problem: unknown): boolean },
): Promise<T | null> {
  const cached = cachedOf(core);
  const nowMs = core.platform.clock.monotonicMs();
  if (nowMs - cached.refusalsSinceMs >= UNKNOWN_KEY_REFETCH_MS) {
    cached.refusals = 0;
    cached.refusalsSinceMs = nowMs;
  }
  if (cached.refusals >= MAX_REFUSALS && !cached.acceptedKeyIds.has(kid)) return null;
  try {
    const verified = await verify();
    cached.acceptedKeyIds.add(kid);
    return verified;
  } catch (problem) {
    if (isRefusal(problem)) cached.refusals += 1;
    throw problem;
  }
}

function cachedOf({ baseUrl }: AuthCore): CachedKeySet {
  const known = cache.get(baseUrl);
  if (known) return known;
  const cached = {
    keySet: null,
    fetchedAtMs: -Infinity,
    requestedAtMs: -Infinity,
    shared: null,
    acceptedKeyIds: new Set(),
    refusals: 0,
    refusalsSinceMs: -Infinity,
  };
  cache.set(baseUrl, cached);
  return cached;
}

/** Uses its own deadline instead of one caller's, because callers share the request. */
function refetch({ send, platform: { clock } }: AuthCore, cached: CachedKeySet): Promise<JSONWebKeySet> {
  return shareRequest(clock, cached, () => {
    const requestedAtMs = clock.monotonicMs();
    const parse = (body: unknown) => parseKeySet(body) as JSONWebKeySet;
    const request = send(get('/.well-known/jwks.json'), parse, { timeoutMs: DEFAULT_TIMEOUT_MS });
    const settle = (keySet: JSONWebKeySet | null) => {
      cached.shared = null;
      if (keySet) Object.assign(cached, { keySet, fetchedAtMs: requestedAtMs });
    };
    cached.requestedAtMs = requestedAtMs;
    request.then(settle, () => settle(null));
    return request;
  });
}
