// @vitest-environment jsdom
import { expect, test, vi } from 'vitest';
import {
  AuthImplicitGrantRedirectError,
  AuthInvalidCredentialsError,
  AuthInvalidJwtError,
  AuthWeakPasswordError,
  createClient,
  isAuthImplicitGrantRedirectError,
  navigatorLock,
  NavigatorLockAcquireTimeoutError,
  processLock,
  type SupabaseClientOptions,
} from '../../src/compat/index.ts';
import { decodeJwtClaims } from '../../src/platform/jwt.ts';
import { refusal, sessionReply } from '../support/wire/replies.ts';

const ADA = { email: 'ada@example.com', password: 'correct horse' };

/** A client with the vendor's names, over a scripted network and another storage. */
function connect(
  reply: () => Response | Promise<Response>,
  auth: SupabaseClientOptions['auth'] = {},
  kept = new Map<string, string>(),
) {
  const storage = {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  };
  const fetch = async () => reply();
  const client = createClient('https://project.test', 'anon-key', {
    auth: { storage, ...auth },
    global: { fetch },
  });
  return { kept, auth: client.auth };
}
const failing = () => Promise.reject(new TypeError('fetch failed'));

test.each([
  ['throws at the access', () => fail()],
  ['is null, as in a web view without it', () => null],
])('a page whose localStorage %s keeps the session in memory', async (_how, get) => {
  const blocked = vi
    .spyOn(globalThis, 'localStorage', 'get')
    .mockImplementation(() => get() as unknown as Storage);
  const { auth } = createClient('https://project.test', 'anon-key', {
    global: { fetch: async () => Response.json(sessionReply('ada', 1)) },
  });
  expect((await auth.signInWithPassword(ADA)).error).toBeNull();
  expect((await auth.getSession()).data.session?.user.id).toBe('ada');
  blocked.mockRestore();
  await auth.dispose();
});

function fail(): never {
  throw new DOMException('The operation is insecure', 'SecurityError');
}

test('setSession without both tokens returns no session, as in the vendor’s client', async () => {
  const { auth } = connect(failing);
  const { data, error } = await auth.setSession({ access_token: '', refresh_token: 'refresh' });
  expect([data.session, error?.name]).toEqual([null, 'AuthSessionMissingError']);
  await auth.dispose();
});

test.each([
  ['is refused', 'AuthApiError', 'session_not_found'],
  ['was ended by a sign-out', 'AuthRefreshDiscardedError', undefined],
])('a change of the user reports the reason if its session %s meanwhile', async (how, name, code) => {
  const kept = new Map([
    ['sb-project-auth-token', JSON.stringify({ ...sessionReply('ada', 1), expires_at: 1 })],
  ]);
  const { auth } = connect(
    () => {
      if (how === 'is refused') return refusal(400, 'session_not_found');
      kept.clear();
      return Response.json(sessionReply('ada', 2));
    },
    { autoRefreshToken: false },
    kept,
  );
  const { error } = await auth.updateUser({ password: 'another one' });
  expect(error).toMatchObject({ name, code });
  await auth.dispose();
});

test.each(['session_not_found', 'refresh_token_already_used'])(
  'getSession returns the refusal %s of its refresh',
  async (code) => {
    const kept = new Map([
      ['sb-project-auth-token', JSON.stringify({ ...sessionReply('ada', 1), expires_at: 1 })],
    ]);
    const { auth } = connect(() => refusal(400, code), { autoRefreshToken: false }, kept);
    const { data, error } = await auth.getSession();
    expect([data, error?.name, error?.code]).toEqual([{ session: null }, 'AuthApiError', code]);
    expect(await auth.getSession()).toEqual({ data: { session: null }, error: null });
    await auth.dispose();
  },
);

test('a lock excludes other callers of its name, and fails with its own error when it is not free in time', async () => {
  const order: string[] = [];
  const task = (name: string) => async () => {
    order.push(`${name} begins`);
    await new Promise((resolve) => setTimeout(resolve, 5));
    order.push(`${name} ends`);
    return name;
  };
  const first = processLock('a', -1, task('first'));
  const second = processLock('a', 1_000, task('second'));
  const failed = await processLock('a', 0, task('third')).catch((problem: unknown) => problem);
  expect(await Promise.all([first, second])).toEqual(['first', 'second']);
  expect(order).toEqual(['first begins', 'first ends', 'second begins', 'second ends']);
  expect(failed).toBeInstanceOf(NavigatorLockAcquireTimeoutError);
  expect(failed).toMatchObject({ isAcquireTimeout: true });
  expect(await navigatorLock('b', 0, task('other'))).toBe('other');
  const { auth } = connect(failing, { lock: processLock });
  expect((await auth.getSession()).error).toBeNull();
  await auth.dispose();
});

test('setSession refuses a malformed access token', async () => {
  const { auth } = connect(failing);
  const { error } = await auth.setSession({ access_token: 'no-token', refresh_token: 'refresh' });
  expect(error).toEqual(new AuthInvalidJwtError('Invalid JWT structure'));
  await auth.dispose();
});

test('a stored session is a sign-in for a listener of a new client, and an initial session for a later one', async () => {
  const first = connect(() => Response.json(sessionReply('ada', 1)));
  await first.auth.signInWithPassword(ADA);
  await first.auth.dispose();

  const { auth } = connect(failing, {}, first.kept);
  const events: string[] = [];
  auth.onAuthStateChange((event, session) => events.push(`${event} ${session?.user.id}`));
  await expect.poll(() => events).toEqual(['SIGNED_IN ada', 'INITIAL_SESSION ada']);
  auth.onAuthStateChange((event) => events.push(`later ${event}`));
  await expect.poll(() => events.slice(2)).toEqual(['later INITIAL_SESSION']);
  await auth.dispose();

  const signedOut = connect(failing);
  const none: string[] = [];
  signedOut.auth.onAuthStateChange((event, session) => none.push(`${event} ${session?.user.id}`));
  await expect.poll(() => none).toEqual(['INITIAL_SESSION undefined']);
  await signedOut.auth.dispose();
});

test('a network failure has the message of the error that fetch threw', async () => {
  const { auth } = connect(failing);
  const { error } = await auth.signInWithPassword(ADA);
  expect([error?.name, error?.message, error?.status]).toEqual([
    'AuthRetryableFetchError',
    'fetch failed',
    0,
  ]);
  await auth.dispose();
});

test('errors have the fields of their class in a log', async () => {
  const { auth } = connect(() =>
    refusal(422, 'weak_password', { weak_password: { reasons: ['length'] }, msg: 'Too short' }),
  );
  const { error } = await auth.signUp(ADA);
  expect(error).toBeInstanceOf(AuthWeakPasswordError);
  expect(JSON.parse(JSON.stringify(error))).toMatchObject({ code: 'weak_password', reasons: ['length'] });
  expect(new AuthInvalidJwtError('Expired')).toMatchObject({ status: 400, code: 'invalid_jwt' });
  await auth.dispose();
});

test('an error in the address of the page has its class', async () => {
  history.replaceState(
    null,
    '',
    '/#error=access_denied&error_code=otp_expired&error_description=Too+late&sb=',
  );
  const { auth } = connect(failing, { skipAutoInitialize: true });
  const { error } = await auth.initialize();
  expect(isAuthImplicitGrantRedirectError(error)).toBe(true);
  expect(error).toEqual(
    new AuthImplicitGrantRedirectError('Too late', { error: 'otp_expired', code: 'otp_expired' }),
  );
  await auth.dispose();
});

test('a function says whether the address of the page is for the client', async () => {
  const href = '/facebook#access_token=a.b.c&refresh_token=theirs&expires_in=3600&token_type=bearer&sb=';
  history.replaceState(null, '', href);
  const requests: Record<string, string>[] = [];
  const detectSessionInUrl = (url: URL, params: Record<string, string>) => {
    requests.push(params);
    return url.pathname !== '/facebook';
  };
  const { auth } = connect(failing, { detectSessionInUrl, skipAutoInitialize: true });
  expect((await auth.initialize()).error).toBeNull();
  expect(requests[0]).toMatchObject({
    access_token: 'a.b.c',
    refresh_token: 'theirs',
  });
  expect(location.pathname + location.hash).toBe(href);
  const logged = vi.spyOn(console, 'error').mockImplementation(() => {});
  const unsure = connect(failing, {
    skipAutoInitialize: true,
    detectSessionInUrl: () => {
      throw new TypeError('Unsure');
    },
  });
  expect((await unsure.auth.initialize()).error).toBeNull();
  expect(location.pathname + location.hash).toBe(href);
  await unsure.auth.dispose();
  logged.mockRestore();
  history.replaceState(null, '', '/');
  await auth.dispose();
});

test('a sign-in with a passkey that fails has no data', async () => {
  const { auth } = connect(failing);
  expect((await auth.signInWithPasskey()).data).toBeNull();
  await auth.dispose();
});

test('a sign-in with a wallet is rejected for another chain, and an empty message is an error of the call', async () => {
  const { auth } = connect(failing);
  const signed = { message: 'text', signature: '0x00' };
  await expect(auth.signInWithWeb3({ chain: 'polygon' as never, ...signed })).rejects.toThrow('polygon');
  const { error } = await auth.signInWithWeb3({ chain: 'solana', message: '', signature: '0x00' });
  expect(error).toBeInstanceOf(AuthInvalidCredentialsError);
  expect((await auth.signInWithWeb3({ chain: 'solana', ...signed })).error?.message).toBe('fetch failed');
  await expect(auth.admin.signOut('token', 'all' as never)).rejects.toThrow('all');
  await expect(auth.signOut({ scope: 'all' as never })).rejects.toThrow('all');
  await auth.dispose();
});

test('a frame that cannot open a channel to other tabs signs in without one', async () => {
  vi.stubGlobal('BroadcastChannel', function deny() {
    throw new DOMException('Denied', 'SecurityError');
  });
  try {
    const { auth } = connect(() => Response.json(sessionReply('ada', 1)));
    expect((await auth.signInWithPassword(ADA)).data.user?.id).toBe('ada');
    await auth.dispose();
  } finally {
    vi.unstubAllGlobals();
  }
});

/** A client of a service that accepts every sign-in, and the requests that it received. */
function connectToService(respond: (request: Request) => Promise<Response> | Response) {
  const sent: string[] = [];
  const { auth } = createClient('https://project.test', 'anon-key', {
    auth: { persistSession: false },
    global: {
      fetch: async (input, init) => {
        const request = new Request(input, init);
        const { pathname } = new URL(request.url);
        const sub = decodeJwtClaims(request.headers.get('authorization') ?? '')?.['sub'];
        sent.push(`${request.method} ${pathname} ${String(sub)}`);
        if (!pathname.endsWith('/token')) return respond(request);
        const { email } = (await request.json()) as { email: string };
        return Response.json(sessionReply(email.replace(/@.*/, ''), 1));
      },
    },
  });
  return { auth, sent };
}
const BOB = { email: 'bob@example.com', password: 'correct horse' };

test('recovery codes are removed for the user whose codes were found, not for the next one', async () => {
  const { auth, sent } = connectToService(async ({ method }) => {
    if (method === 'GET') await auth.signInWithPassword(BOB);
    return Response.json({ id: 'f1', total: 10, remaining: 10 });
  });
  await auth.signInWithPassword(ADA);
  const { error } = await auth.mfa.recoveryCodes.unenroll();
  expect(error?.name).toBe('AuthRefreshDiscardedError');
  expect(sent.filter((line) => line.startsWith('DELETE'))).toEqual([]);
  await auth.dispose();
});
