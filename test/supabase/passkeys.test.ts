import { beforeEach, expect, it } from 'vitest';
import {
  createUser,
  requestApi,
  signIn,
  useLocalSupabase,
  type TestUser,
} from '../support/local-supabase.ts';
import { enrollSecondFactor } from '../support/second-factor.ts';
import {
  createSoftwareAuthenticator,
  type Deviation,
  type SoftwareAuthenticator,
} from '../support/software-authenticator.ts';

const siteUrl = 'http://localhost:5173';
const supabase = useLocalSupabase({ siteUrl });

interface JsonResponse {
  readonly status: number;
  readonly access_token?: string;
  readonly refresh_token?: string;
  readonly error_code?: string;
}

async function post(path: string, body: unknown, token?: string): Promise<JsonResponse> {
  const response = await requestApi(supabase(), path, {
    method: 'POST',
    body,
    ...(token !== undefined && { token }),
  });
  const json = (await response.json().catch(() => ({}))) as Omit<JsonResponse, 'status'>;
  return { ...json, status: response.status };
}

/** Sends both requests of a ceremony; `respond` creates the authenticator's response to the first one's options. */
async function perform(
  ceremony: 'registration' | 'authentication',
  respond: (options: never) => unknown,
  token?: string,
): Promise<JsonResponse> {
  const path = `/auth/v1/passkeys/${ceremony}`;
  const challenge = (await post(`${path}/options`, {}, token)) as unknown as {
    challenge_id: string;
    options: never;
  };
  const body = { challenge_id: challenge.challenge_id, credential: respond(challenge.options) };
  return post(`${path}/verify`, body, token);
}

const signInBy = (authenticator: SoftwareAuthenticator, deviation: Deviation = {}) =>
  perform('authentication', (options) => authenticator.get(options, deviation));

const claimsOf = (token: string | undefined) =>
  JSON.parse(Buffer.from(token?.split('.')[1] ?? '', 'base64url').toString()) as {
    aal: string;
    amr: { method: string }[];
  };

const methodsOf = (token: string | undefined) => claimsOf(token).amr.map(({ method }) => method);

const readPreferences = async (token: string | undefined) =>
  (
    await requestApi(supabase(), '/rest/v1/notification_preferences', {
      ...(token !== undefined && { token }),
    })
  ).json();

let user: TestUser;
let authenticator: SoftwareAuthenticator;

/** A user with a row to read, a passkey, and then a second factor. */
beforeEach(async () => {
  user = await createUser(supabase(), `passkey-${crypto.randomUUID()}@example.com`);
  await supabase().database.query('insert into notification_preferences (user_id) values ($1)', [user.id]);
  authenticator = createSoftwareAuthenticator(siteUrl);
  const registered = await perform('registration', (options) => authenticator.create(options), user.token);
  if (registered.status !== 200) throw new Error(`The registration responded with ${registered.status}`);
  await enrollSecondFactor(supabase(), user.token);
});

it('a passkey whose authenticator verified the person satisfies the second factor, after a refresh too', async () => {
  const session = await signInBy(authenticator);
  expect(claimsOf(session.access_token).aal).toBe('aal2');
  expect(methodsOf(session.access_token).toSorted()).toEqual(['mfa/webauthn', 'passkey']);
  expect(await readPreferences(session.access_token)).toHaveLength(1);
  const exportData = async () =>
    (await post('/rest/v1/rpc/export_account_data', {}, session.access_token)).status;
  expect(await exportData()).toBe(403);
  await supabase().database.query(
    `update auth.webauthn_credentials set created_at = now() - interval '2 days' where user_id = $1`,
    [user.id],
  );
  expect(await exportData()).toBe(200);

  const refreshed = await post('/auth/v1/token?grant_type=refresh_token', {
    refresh_token: session.refresh_token,
  });
  expect(claimsOf(refreshed.access_token).aal).toBe('aal2');
  const [row] = await supabase().database.query<{ aal: string }>(
    `select s.aal from auth.sessions s join auth.mfa_amr_claims a on a.session_id = s.id
     where s.user_id = $1 and a.authentication_method = 'passkey'`,
    [user.id],
  );
  expect(row).toEqual({ aal: 'aal2' });
});

it('a password alone does not satisfy the second factor of an account that has a passkey', async () => {
  const token = await signIn(supabase(), user.email);
  expect({ aal: claimsOf(token).aal, methods: methodsOf(token) }).toEqual({
    aal: 'aal1',
    methods: ['password'],
  });
  expect(await readPreferences(token)).toEqual([]);
  expect(await post('/rest/v1/rpc/export_account_data', {}, token)).toMatchObject({
    status: 403,
    message: 'insufficient_aal',
  });
  // The password's session stays unchanged when another session of the account uses the passkey.
  await signInBy(authenticator);
  expect(await readPreferences(token)).toEqual([]);
});

it('a passkey whose authenticator did not verify the person neither signs in nor is registered', async () => {
  const refused = { status: 400, error_code: 'webauthn_verification_failed' };
  expect(await signInBy(authenticator, { isUserVerified: false })).toMatchObject(refused);
  const other = createSoftwareAuthenticator(siteUrl);
  const { access_token: strong } = await signInBy(authenticator);
  const register = (deviation: Deviation) =>
    perform('registration', (options) => other.create(options, deviation), strong);
  expect(await register({ isUserVerified: false })).toMatchObject(refused);
  expect((await register({})).status).toBe(200);
});

it('where the auth service does not require the verification, a passkey still requires the second factor', async () => {
  const { database } = supabase();
  await database.exec('alter table auth.mfa_amr_claims disable trigger raise_by_passkey');
  const session = await signInBy(authenticator);
  await database.exec('alter table auth.mfa_amr_claims enable trigger raise_by_passkey');
  expect(methodsOf(session.access_token)).toEqual(['passkey']);
  expect(claimsOf(session.access_token).aal).toBe('aal1');
  expect(await readPreferences(session.access_token)).toEqual([]);
});
