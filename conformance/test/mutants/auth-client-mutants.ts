import { mutantsOf, type ClientMutant } from './client-mutant.ts';

const refresher = 'auth-client/refresh/refresher.ts';
const outcome = 'auth-client/refresh/refresh-outcome.ts';
const cookies = 'auth-client/storage/cookie-codec.ts';
const cookieStore = 'auth-client/storage/cookie-store.ts';
const flows = 'auth-client/callback/pending-flows.ts';
const callback = 'auth-client/callback/callback.ts';
const signOut = 'auth-client/calls/sign-out.ts';
const session = 'auth-client/session/session.ts';

export const authClientMutants: readonly ClientMutant[] = [
  ...mutantsOf(
    'auth-client',
    'refresh and lock',
    'auth#one-refresh auth#keeping-the-session auth#browser-tabs',
    [
      'refreshes once for each caller',
      refresher,
      'if (this.#inFlight?.refreshToken !== refreshToken) this.#inFlight',
      'this.#inFlight',
      'equal: under the lock each further caller finds the stored token of the first refresh',
    ],
    [
      'refreshes without the lock',
      'auth-client/session/with-lock.ts',
      'return await locks.hold(',
      'return await ((...[, work]: Parameters<typeof locks.hold<T>>) => work() as Promise<T>)(',
    ],
    ['refreshes although another tab has', refresher, 'if (isAlreadyRenewed) return;', ''],
    [
      'refreshes before each use of a token',
      refresher,
      'if (!isRejected && !this.#isExpired(active)) {',
      'if (active.remainingMs < 0) {',
    ],
    [
      'returns an expired token',
      refresher,
      'if (!isRejected && !this.#isExpired(active)) {',
      'if (!isRejected) {',
    ],
    [
      'waits for a refresh although its token is valid',
      refresher,
      'if (!isDue || autoRefresh) return active.record.access_token;',
      'if (!isDue) return active.record.access_token;',
    ],
    [
      'sends the first refresh token again',
      refresher,
      "const endpoint = token('refresh_token', { refresh_token: sentToken });",
      "const endpoint = token('refresh_token', { refresh_token: ((globalThis as unknown as { first?: string }).first ??= sentToken) });",
    ],
    [
      'ignores that a service has refused its token',
      refresher,
      'const isRejected = active.record.access_token === rejectedToken && this.#mayRenewRejected(active);',
      'const isRejected = false;',
    ],
    [
      'ends the session at a failure of the network',
      outcome,
      "code === 'network' ? 'retry'",
      "code === 'network' ? 'drop'",
    ],
    ['does not repeat a refresh that failed in the network', outcome, " || code === 'network'", ''],
    [
      "ends the session at a proxy's page",
      outcome,
      'definitiveRefusals.has(serverCode)',
      'serverCode !== "x"',
    ],
    [
      'ends the session at a rate limit',
      outcome,
      'status !== 429 && definitiveRefusals.has(serverCode)',
      'status === 429 || definitiveRefusals.has(serverCode)',
    ],
    ['keeps a session that the server has ended', outcome, "'refresh_token_not_found',", ''],
    ['does not wait for Retry-After', refresher, 'this.#pause = { refreshToken,', 'void { refreshToken,'],
    [
      'restores a user after the sign-out',
      'auth-client/session/session-manager.ts',
      '        stored?.refresh_token === refreshToken && stored.user.id === response.user.id\n          ? { ...record, recovery: stored.recovery }\n          : undefined,',
      '        ({ ...record, recovery: stored?.recovery }),',
    ],
    [
      'waits an hour before it repeats a refresh',
      outcome,
      'doublingDelaysMs(200, 25_600)',
      'doublingDelaysMs(3_600_000, 3_600_000)',
    ],
    [
      'repeats refreshes without jitter',
      outcome,
      'jitter: 0.25',
      'jitter: 0',
      'the wait of one tab shows no jitter: an audit would need many tabs whose network fails in one moment, and a unit test has the numbers',
    ],
    ['repeats refreshes without a pause', outcome, 'doublingDelaysMs(200, 25_600)', '[0]'],
    [
      'notifies no tab of a sign-out',
      'auth-client/session/session-store.ts',
      'if (event) this.#channel?.post(',
      'if (!event) this.#channel?.post(',
    ],
    ['does not announce a refresh', refresher, "'TOKEN_REFRESHED', 'refresh'", "'USER_UPDATED', 'refresh'"],
  ),
  ...mutantsOf(
    'auth-client',
    'clocks',
    'auth#device-clocks auth#one-refresh',
    [
      "trusts the device's clock",
      session,
      'const byReceipt = isAgeUnknown ? 0 : lifetime - Math.max(0, ageMs);',
      'const byReceipt = leftAt(measuredAt.now); void isAgeUnknown; if (byReceipt < 1e12) return byReceipt;',
    ],
    [
      'treats every token as new',
      session,
      'return remainingMs - elapsedMs(measuredAt, at);',
      'return remainingMs;',
    ],
  ),
  ...mutantsOf(
    'auth-client',
    'verifier and links',
    'auth#verifiers auth#callback-links auth#oauth',
    [
      'sends the verifier as the challenge',
      'auth-client/callback/pkce-flow.ts',
      'code_challenge: encodeBase64Url(digest)',
      'code_challenge: verifier',
    ],
    [
      'uses one verifier for all',
      'auth-client/callback/pkce-flow.ts',
      'encodeBase64Url(random.bytes(32))',
      "'a'.repeat(43)",
    ],
    ['stores no verifier', flows, 'await store.set(latestKey(key), value);', ''],
    [
      'stores no verifier at all',
      flows,
      'await store.set(flowKey(key, id), value);\n    await store.set(indexKey(key), JSON.stringify(ids.slice(-MAX_PENDING_FLOWS)));\n    await store.set(latestKey(key), value);',
      '',
    ],
    [
      'keeps a spent verifier',
      flows,
      "if (latest && (removed.has(latest) || isRemoved('', latest))) await store.remove(latestKey(key));",
      '',
    ],
    ['keeps the code in the address', callback, "const addedToQuery = ['code', ", 'const addedToQuery = ['],
    [
      'keeps the tokens in the address',
      callback,
      "const addedToFragment = ['sb', 'access_token', 'error', 'error_code'];",
      'const addedToFragment: string[] = [];',
    ],
    [
      "takes another service's code",
      callback,
      'if (code && (paths || (isFlowPending && uuid.test(code))))',
      'if (code)',
    ],
    ['does not notice a recovery', callback, "fragment.get('type') === 'recovery'", 'false'],
    ['forgets that a flow is a recovery', flows, "(isRecovery ? '/recovery' : '')", "''"],
  ),
  ...mutantsOf(
    'auth-client',
    'cookie chunks',
    'auth#cookies',
    [
      'writes cookies that are too long',
      cookies,
      'export const CHUNK_LENGTH = 3180;',
      'export const CHUNK_LENGTH = 9000;',
    ],
    ['writes the first chunk only', cookies, 'length: Math.ceil(value.length / CHUNK_LENGTH)', 'length: 1'],
    ['numbers its chunks from 1', cookies, 'name: `${key}.${index}`,', 'name: `${key}.${index + 1}`,'],
    [
      'leaves chunks behind',
      cookies,
      '(name.startsWith(`${key}.`) && /^(0|[1-9]\\d*)$/.test(name.slice(key.length + 1)))',
      'false',
    ],
    ['writes cookies for one page', cookieStore, "path = '/'", "path = '/login'"],
    [
      'writes cookies for the session of the browser',
      cookieStore,
      'COOKIE_MAX_AGE_SECONDS = 34_560_000',
      'COOKIE_MAX_AGE_SECONDS = 60',
    ],
    ['writes cookies that every site sends', cookieStore, "sameSite = 'lax'", "sameSite = 'none'"],
  ),
  ...mutantsOf(
    'auth-client',
    'sign-out and wire',
    'auth#sign-out auth#local-sign-out auth#request-headers',
    ['stays signed in where the sign-out fails', signOut, "await session.signOut('call');\n  try {", 'try {'],
    [
      'signs out here only',
      signOut,
      "send({ method: 'POST', path: '/logout', query: { scope } }",
      "send({ method: 'GET', path: '/health', query: { scope } }",
    ],
    ['ends only this session', signOut, 'query: { scope }', "query: { scope: 'local' }"],
    ['treats 404 as a failed sign-out', signOut, 'new Set([401, 403, 404])', 'new Set([401, 403])'],
    ['sends no API key', 'platform/service-http.ts', ': { apikey: apiKey };', ': {};'],
    [
      'does not ask for the newer errors',
      'auth-client/wire/request.ts',
      "'x-supabase-api-version': '2024-01-01',",
      '',
    ],
    ['does not name itself', 'auth-client/wire/request.ts', "'x-client-info': clientInfo,", ''],
    [
      'sends no token of the user',
      'auth-client/wire/request.ts',
      'timeoutMs, signal, token, user })',
      'timeoutMs, signal, user, ...(token && {}) })',
    ],
  ),
];
