import { assert } from '../../target/assertion.ts';
import * as OTPAuth from 'otpauth';
import { auditsOf, type Audit } from '../../audit/audit.ts';
import {
  assertSession,
  type AuditContext,
  type AuditUser,
  newAnonymousUser,
} from '../../audit/audit-context.ts';
import { NotRunError } from '../../target/target.ts';
import {
  assertError,
  assertStatus,
  assertStatusIn,
  at,
  jwtPartOf,
  textAt,
  type WireResponse,
} from '../../target/wire.ts';
import { assertRefusal } from './hook-call.ts';
import { type Authenticator, createAuthenticator, keyOriginOf, refusedDeviations } from './authenticator.ts';

const audit = auditsOf('auth');
const source = 'protocol/auth.md#factors';

const enroll = ({ auth }: AuditContext, user: AuditUser, name = 'phone app') =>
  auth.send('POST', '/factors', {
    token: user.accessToken,
    body: { factor_type: 'totp', friendly_name: name, issuer: 'Audit' },
  });

const enrollWebAuthn = ({ auth }: AuditContext, user: AuditUser, name = 'key') =>
  auth.send('POST', '/factors', {
    token: user.accessToken,
    body: { factor_type: 'webauthn', friendly_name: name },
  });

const challengeKey = ({ auth }: AuditContext, token: string, factorId: string) =>
  auth.send('POST', `/factors/${factorId}/challenge`, { token, body: {} });
const publicKeyOf = ({ json }: WireResponse): unknown =>
  at(json, 'webauthn', 'credential_options', 'publicKey');

const proveKey = (
  { auth }: AuditContext,
  token: string,
  factorId: string,
  challenged: WireResponse,
  type: 'create' | 'request',
  credential_response: unknown,
) =>
  auth.send('POST', `/factors/${factorId}/verify`, {
    token,
    body: { challenge_id: textAt(challenged, 'id'), webauthn: { type, credential_response } },
  });

interface KeyFactor {
  readonly factorId: string;
  readonly authenticator: Authenticator;
  readonly challenged: WireResponse;
}

/** Enrolls a WebAuthn factor and begins the creation of its key. @throws NotRunError without such factors. */
async function enrollKey(context: AuditContext, user: AuditUser, name?: string): Promise<KeyFactor> {
  const enrolled = await enrollWebAuthn(context, user, name);
  if (at(enrolled.json, 'code') === 'mfa_webauthn_enroll_not_enabled')
    throw new NotRunError('WebAuthn factors are disabled');
  assertStatus(enrolled, 200);
  const factorId = textAt(enrolled, 'id');
  const challenged = await challengeKey(context, user.accessToken, factorId);
  const origin = await keyOriginOf(context, at(publicKeyOf(challenged), 'rp', 'id'));
  return { factorId, challenged, authenticator: createAuthenticator(origin) };
}

/** A user with a verified WebAuthn factor, and the session of `aal2` that its verification returned. */
async function newKeyUser(context: AuditContext): Promise<{
  readonly user: AuditUser;
  readonly factor: KeyFactor;
  readonly verified: WireResponse;
}> {
  const user = await context.newUser();
  const factor = await enrollKey(context, user);
  const credential = factor.authenticator.create(publicKeyOf(factor.challenged));
  const { factorId, challenged } = factor;
  const verified = await proveKey(context, user.accessToken, factorId, challenged, 'create', credential);
  return { user, factor, verified: assertSession(verified) };
}

/** Token, factor, challenge and credential of a proof. */
type ProofOf = readonly [string, string, WireResponse, unknown];

/** Asserts a session of `aal2` whose latest method is a key. The methods of one second have no order. */
function assertRaisedByKey(session: WireResponse): void {
  const claims = jwtPartOf(textAt(session, 'access_token'));
  assert.equal(at(claims, 'aal'), 'aal2', 'aal of the session');
  const amr = at(claims, 'amr') as readonly { readonly method: string; readonly timestamp: number }[];
  const latest = amr.filter(({ timestamp }) => timestamp === amr[0]?.timestamp);
  const isKey = latest.some(({ method }) => method === 'mfa/webauthn');
  assert.ok(isKey, 'the latest amr of the session is mfa/webauthn', JSON.stringify(amr));
}

const totpOf = (enrolled: WireResponse) => OTPAuth.URI.parse(textAt(enrolled, 'totp', 'uri')).generate();

async function challenge({ auth }: AuditContext, token: string, factorId: string): Promise<string> {
  const response = await auth.send('POST', `/factors/${factorId}/challenge`, { token, body: {} });
  assertStatus(response, 200);
  return textAt(response, 'id');
}

async function enrollAndVerify(
  context: AuditContext,
  user: AuditUser,
): Promise<{ enrolled: WireResponse; verified: WireResponse; factorId: string; challengeId: string }> {
  const enrolled = await enroll(context, user);
  assertStatus(enrolled, 200);
  const factorId = textAt(enrolled, 'id');
  const challengeId = await challenge(context, user.accessToken, factorId);
  const verified = await context.auth.send('POST', `/factors/${factorId}/verify`, {
    token: user.accessToken,
    body: { challenge_id: challengeId, code: totpOf(enrolled) },
  });
  return { enrolled, verified, factorId, challengeId };
}

const verifyCode = (
  { auth }: AuditContext,
  token: string,
  factorId: string,
  body: { readonly challenge_id: string; readonly code: string },
) => auth.send('POST', `/factors/${factorId}/verify`, { token, body });

const claimsOf = (response: WireResponse): unknown => jwtPartOf(textAt(response, 'access_token'));

/** Multi-factor authentication by TOTP (RFC 6238), by phone and by WebAuthn. */
export const factorAudits: readonly Audit[] = [
  audit('AUTH-601', 'enrolling TOTP returns QR code, secret and URI', { source }, async (context) => {
    const response = await enroll(context, await context.newUser());
    assertStatus(response, 200);
    assert.equal(at(response.json, 'type'), 'totp', 'type of the response');
    assert.equal(at(response.json, 'friendly_name'), 'phone app', 'friendly_name of the response');
    assert.match(textAt(response, 'totp', 'qr_code'), /<svg/, 'totp.qr_code of the response');
    assert.match(textAt(response, 'totp', 'uri'), /^otpauth:\/\/totp\//, 'totp.uri of the response');
    assert.match(textAt(response, 'totp', 'secret'), /^[A-Z2-7]+$/, 'totp.secret of the response');
  }),
  audit(
    'AUTH-602',
    'a challenge expires after 300 seconds and contains its expiry',
    { source },
    async (context) => {
      const user = await context.newUser();
      const factorId = textAt(await enroll(context, user), 'id');
      const response = await context.auth.send('POST', `/factors/${factorId}/challenge`, {
        token: user.accessToken,
        body: {},
      });
      assertStatus(response, 200);
      assert.equal(at(response.json, 'type'), 'totp', 'type of the response');
      const expiresAt = at(response.json, 'expires_at');
      const aheadS = Number(expiresAt) - Date.now() / 1000;
      assert.ok(aheadS > 240 && aheadS < 360, 'the challenge expires in about five minutes', `${aheadS} s`);
    },
  ),
  audit('AUTH-603', 'verifying returns a session of level aal2', { source }, async (context) => {
    const { verified } = await enrollAndVerify(context, await context.newUser());
    assertSession(verified);
    const claims = claimsOf(verified);
    assert.equal(at(claims, 'aal'), 'aal2', 'aal of the claims');
    const methods = (at(claims, 'amr') as unknown[]).map((entry) => at(entry, 'method'));
    assert.ok(
      methods.includes('totp') && methods.includes('password'),
      'the claim amr names password and totp',
      methods.join(),
    );
  }),
  audit('AUTH-604', 'the user lists the verified factor', { source }, async (context) => {
    const { verified, factorId } = await enrollAndVerify(context, await context.newUser());
    const response = await context.auth.send('GET', '/user', { token: textAt(verified, 'access_token') });
    assert.equal(at(response.json, 'factors', 0, 'id'), factorId, 'factors.0.id of the response');
    assert.equal(at(response.json, 'factors', 0, 'status'), 'verified', 'factors.0.status of the response');
    assert.equal(
      at(response.json, 'factors', 0, 'factor_type'),
      'totp',
      'factors.0.factor_type of the response',
    );
  }),
  audit('AUTH-605', "verifying removes the user's sessions of a lower level", { source }, async (context) => {
    const user = await context.newUser();
    const other = assertSession(await context.signIn(user.email, user.password));
    assertSession((await enrollAndVerify(context, user)).verified);
    assertStatus(await context.auth.send('GET', '/user', { token: textAt(other, 'access_token') }), 403);
  }),
  audit(
    'AUTH-606',
    'the refresh token from before the verification is revoked or stale',
    { source: 'protocol/auth.md#refresh-rules' },
    async (context) => {
      const user = await context.newUser();
      const { verified } = await enrollAndVerify(context, user);
      assert.notEqual(
        textAt(verified, 'refresh_token'),
        user.refreshToken,
        'refresh_token of the verified session',
      );
      const kept = await context.auth.send('POST', '/token', {
        query: { grant_type: 'refresh_token' },
        body: { refresh_token: textAt(verified, 'refresh_token') },
      });
      assert.equal(at(claimsOf(assertSession(kept)), 'aal'), 'aal2', 'aal after the refresh');
    },
  ),
  audit('AUTH-607', 'a wrong code is refused as mfa_verification_failed', { source }, async (context) => {
    const user = await context.newUser();
    const factorId = textAt(await enroll(context, user), 'id');
    const challenge_id = await challenge(context, user.accessToken, factorId);
    const response = await context.auth.send('POST', `/factors/${factorId}/verify`, {
      token: user.accessToken,
      body: { challenge_id, code: '000000' },
    });
    assertError(response, 422, 'mfa_verification_failed');
  }),
  audit(
    'AUTH-619',
    'a verified challenge is refused as mfa_ip_address_mismatch',
    { source, since: '1.0.0' },
    async (context) => {
      const user = await context.newUser();
      const { enrolled, verified, factorId, challengeId } = await enrollAndVerify(context, user);
      const replayed = await context.auth.send('POST', `/factors/${factorId}/verify`, {
        token: textAt(verified, 'access_token'),
        body: { challenge_id: challengeId, code: totpOf(enrolled) },
      });
      assertError(replayed, 422, 'mfa_ip_address_mismatch');
    },
  ),
  audit('AUTH-608', 'an unknown factor is refused as mfa_factor_not_found', { source }, async (context) => {
    const user = await context.newUser();
    const response = await context.auth.send(
      'POST',
      '/factors/7f9c7a52-7a4f-4d3a-9f6b-0a3c0f2f8e11/challenge',
      {
        token: user.accessToken,
        body: {},
      },
    );
    assertError(response, 404, 'mfa_factor_not_found');
  }),
  audit('AUTH-609', 'two factors with the same name are refused', { source }, async (context) => {
    const user = await context.newUser();
    assertStatus(await enroll(context, user), 200);
    assertError(await enroll(context, user), 422, 'mfa_factor_name_conflict');
  }),
  audit('AUTH-610', 'a verified factor needs aal2 to be removed', { source }, async (context) => {
    const user = await context.newUser();
    const { factorId } = await enrollAndVerify(context, user);
    const weak = assertSession(await context.signIn(user.email, user.password));
    const response = await context.auth.send('DELETE', `/factors/${factorId}`, {
      token: textAt(weak, 'access_token'),
    });
    assertError(response, 422, 'insufficient_aal');
  }),
  audit(
    'AUTH-611',
    'removing a factor returns its id, and a refresh drops to aal1',
    { source },
    async (context) => {
      const { verified, factorId } = await enrollAndVerify(context, await context.newUser());
      const removed = await context.auth.send('DELETE', `/factors/${factorId}`, {
        token: textAt(verified, 'access_token'),
      });
      assertStatus(removed, 200);
      assert.equal(at(removed.json, 'id'), factorId, 'id of the removed factor');
      const refreshed = await context.auth.send('POST', '/token', {
        query: { grant_type: 'refresh_token' },
        body: { refresh_token: textAt(verified, 'refresh_token') },
      });
      assert.equal(at(claimsOf(assertSession(refreshed)), 'aal'), 'aal1', 'aal of the refreshed session');
    },
  ),
  audit('AUTH-612', 'an unverified factor can be removed at aal1', { source }, async (context) => {
    const user = await context.newUser();
    const factorId = textAt(await enroll(context, user), 'id');
    assertStatus(await context.auth.send('DELETE', `/factors/${factorId}`, { token: user.accessToken }), 200);
  }),
  audit(
    'AUTH-613',
    'with a verified factor PUT /user of the password needs aal2',
    { source: 'protocol/auth.md#user' },
    async (context) => {
      const user = await context.newUser();
      await enrollAndVerify(context, user);
      const weak = assertSession(await context.signIn(user.email, user.password));
      const response = await context.auth.send('PUT', '/user', {
        token: textAt(weak, 'access_token'),
        body: { password: 'Another-123456' },
      });
      assertError(response, 401, 'insufficient_aal');
    },
  ),
  audit('AUTH-614', 'an unknown factor type is refused', { source }, async (context) => {
    const user = await context.newUser();
    const response = await context.auth.send('POST', '/factors', {
      token: user.accessToken,
      body: { factor_type: 'astrology', friendly_name: 'x' },
    });
    assertError(response, 400, 'validation_failed');
  }),
  audit(
    'AUTH-615',
    'a phone factor is verified with the code of its SMS',
    { source, needs: ['sms'] },
    async (context) => {
      const user = await context.newUser();
      const phone = context.newPhone();
      const enrolled = await context.auth.send('POST', '/factors', {
        token: user.accessToken,
        body: { factor_type: 'phone', friendly_name: 'mobile', phone },
      });
      assertStatus(enrolled, 200);
      assert.deepEqual(
        [at(enrolled.json, 'type'), at(enrolled.json, 'phone')],
        ['phone', phone],
        'type and phone of the enrolled factor',
      );
      const factorId = textAt(enrolled, 'id');
      const challenge_id = await challenge(context, user.accessToken, factorId);
      const code = await context.mailedCode(phone);
      const verified = await context.auth.send('POST', `/factors/${factorId}/verify`, {
        token: user.accessToken,
        body: { challenge_id, code },
      });
      assert.equal(at(claimsOf(assertSession(verified)), 'aal'), 'aal2', 'aal of the verified session');
    },
  ),
  audit('AUTH-616', 'without a session enrolling is refused', { source }, async ({ auth }) => {
    const response = await auth.send('POST', '/factors', {
      body: { factor_type: 'totp', friendly_name: 'x' },
    });
    assertStatusIn(response, [401, 403]);
  }),
  audit(
    'AUTH-617',
    'the first challenge of a WebAuthn factor has options to create its key',
    { source },
    async (context) => {
      const user = await context.newUser();
      const enrolled = await enrollWebAuthn(context, user);
      assertStatus(enrolled, 200);
      assert.equal(at(enrolled.json, 'type'), 'webauthn', 'type of the enrolled factor');
      const response = await context.auth.send('POST', `/factors/${textAt(enrolled, 'id')}/challenge`, {
        token: user.accessToken,
        body: {},
      });
      assertStatus(response, 200);
      assert.equal(at(response.json, 'webauthn', 'type'), 'create', 'webauthn.type of the response');
      const options = ['webauthn', 'credential_options', 'publicKey'] as const;
      assert.match(textAt(response, ...options, 'challenge'), /^[\w-]{43}$/, 'challenge of the response');
      assert.equal(at(response.json, ...options, 'user', 'name'), user.email, 'user.name of the response');
      assert.ok(
        Number(at(response.json, 'expires_at')) > Date.now() / 1000,
        'the challenge expires in the future',
      );
    },
  ),
  audit('AUTH-618', 'a WebAuthn factor is not verified without a proof', { source }, async (context) => {
    const user = await context.newUser();
    const enrolled = await enrollWebAuthn(context, user);
    assertStatus(enrolled, 200);
    const factorId = textAt(enrolled, 'id');
    const challenge_id = await challenge(context, user.accessToken, factorId);
    const invalid = { type: 'create', credential_response: {} };
    for (const webauthn of [undefined, {}, { type: 'create' }, invalid]) {
      const response = await context.auth.send('POST', `/factors/${factorId}/verify`, {
        token: user.accessToken,
        body: { challenge_id, webauthn },
      });
      assertError(response, 400, 'validation_failed');
    }
  }),
  audit(
    'AUTH-622',
    'the URI of a TOTP factor names the issuer, the account and the secret',
    { source, since: '1.0.0' },
    async (context) => {
      const user = await context.newUser();
      const response = await enroll(context, user);
      const uri = new URL(textAt(response, 'totp', 'uri'));
      assert.equal(
        decodeURIComponent(uri.pathname).replace(/^\/+(totp\/)?/, ''),
        `Audit:${user.email}`,
        'the label',
      );
      assert.deepEqual(
        [uri.searchParams.get('issuer'), uri.searchParams.get('secret')],
        ['Audit', textAt(response, 'totp', 'secret')],
        'issuer and secret of the URI',
      );
    },
  ),
  audit(
    'AUTH-623',
    'a user with a verified factor enrolls another one at aal2 only',
    { source, since: '1.0.0' },
    async (context) => {
      const user = await context.newUser();
      const { verified } = await enrollAndVerify(context, user);
      const weak = assertSession(await context.signIn(user.email, user.password));
      const further = (session: WireResponse) =>
        enroll(context, { ...user, accessToken: textAt(session, 'access_token') }, 'further');
      assertError(await further(weak), 403, 'insufficient_aal');
      assertStatus(await further(verified), 200);
    },
  ),
  audit(
    'AUTH-624',
    "a user neither verifies nor removes another's factor",
    { source, since: '1.0.0' },
    async (context) => {
      const [ada, grace] = [await context.newUser(), await context.newUser()];
      const enrolled = await enroll(context, ada);
      const id = textAt(enrolled, 'id');
      const body = { challenge_id: await challenge(context, ada.accessToken, id), code: totpOf(enrolled) };
      assertError(await verifyCode(context, grace.accessToken, id, body), 404, 'mfa_factor_not_found');
      const remove = (path: string) =>
        context.auth.send('DELETE', `/factors/${path}`, { token: grace.accessToken });
      assertError(await remove(id), 404, 'mfa_factor_not_found');
      assertError(await remove('no-uuid'), 404, 'validation_failed');
      assertSession(await verifyCode(context, ada.accessToken, id, body));
    },
  ),
  audit(
    'AUTH-625',
    'a code is accepted one step of 30 seconds early, and not three',
    { source, since: '1.0.0' },
    async (context) => {
      const { accessToken: token, ...user } = await context.newUser();
      const enrolled = await enroll(context, { accessToken: token, ...user });
      const id = textAt(enrolled, 'id');
      const totp = OTPAuth.URI.parse(textAt(enrolled, 'totp', 'uri'));
      const codeIn = (seconds: number) =>
        (totp as OTPAuth.TOTP).generate({ timestamp: Date.now() + seconds * 1000 });
      const challenge_id = await challenge(context, token, id);
      const early = await verifyCode(context, token, id, { challenge_id, code: codeIn(90) });
      assertError(early, 422, 'mfa_verification_failed');
      assertSession(await verifyCode(context, token, id, { challenge_id, code: codeIn(30) }));
    },
  ),
  audit(
    'AUTH-626',
    'verifying a factor removes the unverified factors of its type',
    { source, since: '1.0.0' },
    async (context) => {
      const user = await context.newUser();
      assertStatus(await enroll(context, user, 'abandoned'), 200);
      const { verified, factorId } = await enrollAndVerify(context, user);
      const { json } = await context.auth.send('GET', '/user', { token: textAt(verified, 'access_token') });
      const factors = at(json, 'factors') as readonly unknown[];
      assert.deepEqual(
        factors.map((factor) => at(factor, 'id')),
        [factorId],
        'the ids of the factors',
      );
    },
  ),
  audit(
    'AUTH-627',
    'a factor of the user has its name, its type, its status and its times, and no secret',
    { source, since: '1.0.0' },
    async (context) => {
      const user = await context.newUser();
      const id = textAt(await enroll(context, user), 'id');
      const { json } = await context.auth.send('GET', '/user', { token: user.accessToken });
      const factor = at(json, 'factors', 0);
      assert.deepEqual(
        ['id', 'friendly_name', 'factor_type', 'status', 'secret'].map((member) => at(factor, member)),
        [id, 'phone app', 'totp', 'unverified', undefined],
        'the members of the factor',
      );
      for (const member of ['created_at', 'updated_at'])
        assert.ok(Date.parse(String(at(factor, member))) > 1e12, `${member} of the factor is a time`);
    },
  ),
  audit(
    'AUTH-628',
    'a verification without a code is refused as validation_failed',
    { source, since: '1.0.0' },
    async (context) => {
      const user = await context.newUser();
      const id = textAt(await enroll(context, user), 'id');
      const challenge_id = await challenge(context, user.accessToken, id);
      const response = await verifyCode(context, user.accessToken, id, { challenge_id, code: '' });
      assertError(response, 400, 'validation_failed');
    },
  ),
  audit('AUTH-629', 'an anonymous user enrolls no factor', { source, since: '1.0.0' }, async (context) => {
    const response = await context.auth.send('POST', '/factors', {
      token: textAt(await newAnonymousUser(context), 'access_token'),
      body: { factor_type: 'totp', friendly_name: 'x' },
    });
    assertError(response, 403, 'no_authorization');
  }),
  audit(
    'AUTH-630',
    'an old challenge is refused as mfa_challenge_expired, and then unknown',
    { source, needs: ['database'], since: '1.0.0' },
    async (context) => {
      const user = await context.newUser();
      const enrolled = await enroll(context, user);
      const id = textAt(enrolled, 'id');
      const challenge_id = await challenge(context, user.accessToken, id);
      const old = "update auth.mfa_challenges set created_at = created_at - interval '1 day' where id = $1";
      await context.query(old, [challenge_id]);
      const verify = () =>
        verifyCode(context, user.accessToken, id, { challenge_id, code: totpOf(enrolled) });
      assertError(await verify(), 422, 'mfa_challenge_expired');
      assertError(await verify(), 422, 'mfa_factor_not_found');
    },
  ),
  audit('AUTH-631', 'a phone factor needs a valid number', { source, since: '1.0.0' }, async (context) => {
    const { accessToken: token } = await context.newUser();
    for (const phone of ['', 'abc', '0123']) {
      const body = { factor_type: 'phone', friendly_name: 'mobile', phone };
      const response = await context.auth.send('POST', '/factors', { token, body });
      if (at(response.json, 'code') === 'mfa_phone_enroll_not_enabled')
        throw new NotRunError('phone factors are disabled');
      assertError(response, 400, 'validation_failed');
    }
  }),
  audit(
    'AUTH-644',
    'a WebAuthn factor is verified by creating its key, and later by signing with it',
    { source, since: '1.0.0' },
    async (context) => {
      const { user, factor, verified } = await newKeyUser(context);
      const { authenticator, factorId } = factor;
      assertRaisedByKey(verified);
      const factors = at(verified.json, 'user', 'factors') as readonly unknown[];
      assert.deepEqual(
        factors.map((one) =>
          ['id', 'status', 'friendly_name', 'factor_type', 'phone'].map((member) => at(one, member)),
        ),
        [[factorId, 'verified', 'key', 'webauthn', '']],
        'the factors of the user',
      );
      const last = at(factors, 0, 'last_webauthn_challenge_data');
      assert.deepEqual(
        [
          at(last, 'type'),
          at(last, 'challenge', 'challenge_id'),
          at(last, 'challenge', 'factor_id'),
          typeof at(last, 'challenge', 'created_at'),
          typeof at(last, 'challenge', 'ip_address'),
          typeof at(last, 'credential_response'),
        ],
        ['create', textAt(factor.challenged, 'id'), factorId, 'string', 'string', 'object'],
        'last_webauthn_challenge_data of the factor',
      );
      const token = textAt(await context.signIn(user.email, user.password), 'access_token');
      const challenged = await challengeKey(context, token, factorId);
      assertStatus(challenged, 200);
      const publicKey = publicKeyOf(challenged);
      const created = publicKeyOf(factor.challenged);
      assert.deepEqual(
        [at(challenged.json, 'type'), at(challenged.json, 'webauthn', 'type')],
        ['webauthn', 'request'],
        'type and webauthn.type of the response',
      );
      assert.deepEqual(
        publicKey,
        {
          challenge: at(publicKey, 'challenge'),
          timeout: 300_000,
          rpId: at(created, 'rp', 'id'),
          allowCredentials: [{ type: 'public-key', id: authenticator.id, transports: ['internal'] }],
        },
        'the options to sign with the key',
      );
      const proof = authenticator.get(publicKey, { userHandle: '' });
      assertRaisedByKey(
        assertSession(await proveKey(context, token, factorId, challenged, 'request', proof)),
      );
      const again = await proveKey(context, token, factorId, challenged, 'request', proof);
      assertError(again, 422, 'mfa_factor_not_found');
    },
  ),
  audit(
    'AUTH-645',
    'the options to create a key name the user and the party, and exclude the keys of other factors',
    { source, since: '1.0.0' },
    async (context) => {
      const { user, factor, verified } = await newKeyUser(context);
      const first = publicKeyOf(factor.challenged);
      const { id: rpId, name: rpName } = at(first, 'rp') as Record<string, unknown>;
      assert.deepEqual(
        ['string', 'string'],
        [typeof rpId, typeof rpName],
        'the types of id and name of the party',
      );
      const parameters = at(first, 'pubKeyCredParams') as readonly unknown[];
      assert.ok(
        parameters.some((parameter) => at(parameter, 'alg') === -7 && at(parameter, 'type') === 'public-key'),
        'the options offer ES256',
      );
      const id = Buffer.from(user.id).toString('base64url');
      const expected = {
        rp: at(first, 'rp'),
        user: { name: user.email, displayName: user.email, id },
        challenge: at(first, 'challenge'),
        pubKeyCredParams: parameters,
        timeout: 300_000,
        authenticatorSelection: {},
      };
      assert.deepEqual(first, expected, 'the options of the first factor');
      const session = { ...user, accessToken: textAt(verified, 'access_token') };
      const second = publicKeyOf((await enrollKey(context, session, 'second')).challenged);
      assert.deepEqual(
        second,
        {
          ...expected,
          challenge: at(second, 'challenge'),
          excludeCredentials: [
            { type: 'public-key', id: factor.authenticator.id, transports: ['usb', 'nfc'] },
          ],
        },
        'the options of the second factor',
      );
      assert.notEqual(at(second, 'challenge'), at(first, 'challenge'), 'the second challenge');
    },
  ),
  audit(
    'AUTH-646',
    'a key of another origin, domain, ceremony or challenge, or without the user, verifies no factor',
    { source, since: '1.0.0' },
    async (context) => {
      const fresh = await context.newUser();
      const { factorId, authenticator, challenged } = await enrollKey(context, fresh);
      const token = fresh.accessToken;
      const refuse = async (type: 'create' | 'request', ...[own, id, begun, credential]: ProofOf) =>
        assertRefusal(
          await proveKey(context, own, id, begun, type, credential),
          500,
          'unexpected_failure',
          type === 'request'
            ? 'Failed to validate WebAuthn MFA response'
            : 'Unexpected failure, please check server logs for more information',
        );
      for (const deviation of refusedDeviations) {
        const credential = authenticator.create(publicKeyOf(challenged), deviation);
        await refuse('create', token, factorId, challenged, credential);
      }
      const { user, factor } = await newKeyUser(context);
      const { accessToken: other, id: otherId } = await context.newUser();
      assertError(await challengeKey(context, other, factor.factorId), 404, 'mfa_factor_not_found');
      const low = textAt(await context.signIn(user.email, user.password), 'access_token');
      const requested = await challengeKey(context, low, factor.factorId);
      const publicKey = publicKeyOf(requested);
      const otherHandle = Buffer.from(otherId).toString('base64url');
      for (const deviation of [
        ...refusedDeviations,
        { userHandle: otherHandle },
        { isBackupEligible: true },
      ]) {
        const credential = factor.authenticator.get(publicKey, deviation);
        await refuse('request', low, factor.factorId, requested, credential);
      }
      const foreign = authenticator.get(publicKey, { userHandle: '' });
      await refuse('request', low, factor.factorId, requested, foreign);
      const creation = authenticator.create({
        ...(publicKey as object),
        rp: { id: at(publicKey, 'rpId') },
        user: { id: otherHandle },
      });
      await refuse('create', low, factor.factorId, requested, creation);
      for (const transports of ['usb', [1]]) {
        const credential = authenticator.create(publicKeyOf(challenged), { transports });
        const refused = await proveKey(context, token, factorId, challenged, 'create', credential);
        assertError(refused, 400, 'validation_failed');
      }
      for (const credential of [{}, { type: 'public-key', id: 'aaaa', response: {} }, 'x'])
        for (const type of ['create', 'request'] as const)
          assertError(
            await proveKey(context, low, factor.factorId, requested, type, credential),
            400,
            'validation_failed',
          );
      const claims = jwtPartOf(low);
      assert.equal(at(claims, 'aal'), 'aal1', 'aal of the session');
      const right = factor.authenticator.get(publicKey);
      assertSession(await proveKey(context, low, factor.factorId, requested, 'request', right));
    },
  ),
  audit(
    'AUTH-1236',
    "a key keeps its transports, and Chrome's former name of the hybrid one is read as its present name",
    { source, since: '1.0.0' },
    async (context) => {
      const user = await context.newUser();
      const { factorId, authenticator, challenged } = await enrollKey(context, user);
      const credential = authenticator.create(publicKeyOf(challenged), { transports: ['usb', 'cable'] });
      const token = user.accessToken;
      const verified = await proveKey(context, token, factorId, challenged, 'create', credential);
      const raised = textAt(assertSession(verified), 'access_token');
      const requested = publicKeyOf(await challengeKey(context, raised, factorId));
      assert.deepEqual(
        at(requested, 'allowCredentials'),
        [{ type: 'public-key', id: authenticator.id, transports: ['usb', 'hybrid'] }],
        'allowCredentials of the challenge',
      );
    },
  ),
  audit(
    'AUTH-649',
    'a user enrolls ten factors at most, unless the project allows more',
    { source, since: '1.0.0' },
    async (context) => {
      const user = await context.newUser();
      for (let count = 1; count <= 10; count += 1) {
        const enrolled = await enroll(context, user, `app ${count}`);
        if (at(enrolled.json, 'code') === 'too_many_enrolled_mfa_factors')
          throw new NotRunError('the project allows fewer factors');
        assertStatus(enrolled, 200);
      }
      const next = await enroll(context, user, 'app 11');
      if (next.status === 200) throw new NotRunError('the project allows more factors');
      assertError(next, 422, 'too_many_enrolled_mfa_factors');
      assertError(await enroll(context, user, 'app 10'), 422, 'mfa_factor_name_conflict');
    },
  ),
];
