import { createHash } from 'node:crypto';
import { auditsOf, type Audit } from '../../audit/audit.ts';
import { assertSession, type AuditContext } from '../../audit/audit-context.ts';
import { assert } from '../../target/assertion.ts';
import { NotRunError } from '../../target/target.ts';
import { at, jwtPartOf, textAt, type WireResponse } from '../../target/wire.ts';
import { assertRefusal } from './hook-call.ts';

const audit = auditsOf('auth');
const options = { source: 'protocol/auth.md#refresh-rules', since: '1.0.0' } as const;

const refresh = ({ auth }: AuditContext, refresh_token: string): Promise<WireResponse> =>
  auth.send('POST', '/token', { query: { grant_type: 'refresh_token' }, body: { refresh_token } });

/** The bytes of a token of version 2. */
interface TokenParts {
  readonly version: Buffer;
  readonly session: Buffer;
  readonly counter: Buffer;
  readonly signature: Buffer;
}

const checksumOf = (bytes: Buffer): Buffer => createHash('sha256').update(bytes).digest().subarray(0, 4);

/** Encodes a token with a right checksum. */
function encode({ version, session, counter, signature }: TokenParts): string {
  const bytes = Buffer.concat([version, session, counter, signature]);
  return Buffer.concat([bytes, checksumOf(bytes)]).toString('base64url');
}

/** Decodes a token, and asserts its form. @throws NotRunError if it has version 1. */
function decode(token: string): TokenParts {
  if (token.length === 12) throw new NotRunError('refresh tokens have version 1');
  assert.match(token, /^[\w-]+$/, 'the refresh token');
  const bytes = Buffer.from(token, 'base64url');
  assert.deepEqual(bytes.subarray(-4), checksumOf(bytes.subarray(0, -4)), 'the checksum of the token');
  return {
    version: bytes.subarray(0, 1),
    session: bytes.subarray(1, 17),
    counter: bytes.subarray(17, -20),
    signature: bytes.subarray(-20, -4),
  };
}

/** Encodes an unsigned number as a varint. */
function encodeCounter(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) + 0x80);
  return Buffer.from([...bytes, rest]);
}

function assertToken(response: WireResponse, sessionId: string, counter: number): string {
  const token = textAt(assertSession(response), 'refresh_token');
  const parts = decode(token);
  assert.deepEqual(parts.version, Buffer.from([0]), 'the version of the token');
  assert.equal(parts.session.toString('hex'), sessionId.replaceAll('-', ''), 'the session of the token');
  assert.deepEqual(parts.counter, encodeCounter(counter), `the counter ${counter} of the token`);
  assert.equal(
    response.headers.get('sb-auth-refresh-token-counter'),
    String(counter),
    'the header of the counter',
  );
  return token;
}

const setCounter = ({ query }: AuditContext, sessionId: string, counter: number): Promise<unknown> =>
  query('update auth.sessions set refresh_token_counter = $2 where id = $1', [sessionId, counter]);

/** Refresh tokens of version 2, which count. */
export const counterTokenAudits: readonly Audit[] = [
  audit(
    'AUTH-1157',
    'a token of version 2 names its session and counts its refreshes',
    options,
    async (context) => {
      const user = await context.newUser();
      decode(user.refreshToken);
      const signedIn = await context.signIn(user.email, user.password);
      const sessionId = String(at(jwtPartOf(textAt(signedIn, 'access_token')), 'session_id'));
      let token = assertToken(signedIn, sessionId, 0);
      for (const counter of [1, 2]) {
        const refreshed = await refresh(context, token);
        token = assertToken(refreshed, sessionId, counter);
        assert.equal(
          refreshed.headers.get('sb-auth-refresh-token-reuse'),
          'false',
          'the header of a first use',
        );
        assert.equal(at(jwtPartOf(textAt(refreshed, 'access_token')), 'session_id'), sessionId, 'session_id');
      }
    },
  ),
  audit(
    'AUTH-1158',
    'a counter above 127 is encoded in several bytes',
    { ...options, needs: ['database'] },
    async (context) => {
      const user = await context.newUser();
      decode(user.refreshToken);
      const sessionId = String(at(jwtPartOf(user.accessToken), 'session_id'));
      for (const counter of [126, 127, 128, 16_383, 16_384, 2_097_151, 2 ** 40]) {
        await setCounter(context, sessionId, counter);
        const current = assertToken(
          await refreshBehind(context, user.refreshToken, sessionId),
          sessionId,
          counter,
        );
        assertToken(await refresh(context, current), sessionId, counter + 1);
      }
    },
  ),
  audit(
    'AUTH-1159',
    'a token of version 2 that has been used once is answered with the current one',
    options,
    async (context) => {
      const user = await context.newUser();
      decode(user.refreshToken);
      const sessionId = String(at(jwtPartOf(user.accessToken), 'session_id'));
      const next = assertToken(await refresh(context, user.refreshToken), sessionId, 1);
      const again = await refresh(context, user.refreshToken);
      assert.equal(assertToken(again, sessionId, 1), next, 'the token of the second refresh');
      assert.equal(again.headers.get('sb-auth-refresh-token-reuse'), null, 'the header of a first use');
      const causes = String(again.headers.get('sb-auth-refresh-token-reuse-cause'));
      assert.match(causes, /(?:^|,)fail-to-save(?:,|$)/, 'the header of the cause');
      assertToken(await refresh(context, next), sessionId, 2);
    },
  ),
  audit(
    'AUTH-1160',
    'a token of version 2 that is two refreshes old is accepted within the reuse interval, and ends the session later',
    { ...options, needs: ['database'] },
    async (context) => {
      const user = await context.newUser();
      decode(user.refreshToken);
      const sessionId = String(at(jwtPartOf(user.accessToken), 'session_id'));
      const second = assertToken(await refresh(context, user.refreshToken), sessionId, 1);
      const third = assertToken(await refresh(context, second), sessionId, 2);
      const concurrent = await refresh(context, user.refreshToken);
      if (at(concurrent.json, 'code') === 'refresh_token_already_used')
        throw new NotRunError('the reuse interval is shorter than three refreshes');
      assert.equal(assertToken(concurrent, sessionId, 2), third, 'the token of a concurrent refresh');
      const cause = concurrent.headers.get('sb-auth-refresh-token-reuse-cause');
      if (cause?.includes('always-allow')) throw new NotRunError('tokens may be used again at any time');
      assert.equal(cause, 'concurrent-refresh', 'the header of the cause');
      await context.query(`update auth.sessions set refreshed_at = now() - interval '1 day' where id = $1`, [
        sessionId,
      ]);
      const refused = await refresh(context, user.refreshToken);
      assertRefusal(refused, 400, 'refresh_token_already_used', 'Invalid Refresh Token: Already Used');
      if (refused.headers.get('sb-auth-refresh-token-rotated') !== 'true')
        throw new NotRunError('the reuse of a token does not end its session');
      assert.equal(refused.headers.get('sb-auth-session-id'), sessionId, 'the header of the session');
      const over = await refresh(context, third);
      assertRefusal(over, 400, 'refresh_token_not_found', 'Invalid Refresh Token: Refresh Token Not Found');
      const { status } = await context.auth.send('GET', '/user', { token: user.accessToken });
      assert.equal(status, 403, 'the status of the ended session');
    },
  ),
  audit(
    'AUTH-1161',
    'a token of version 2 of another form is validation_failed, and one of another signature refresh_token_not_found',
    options,
    async (context) => {
      const user = await context.newUser();
      const parts = decode(user.refreshToken);
      const bytes = Buffer.from(user.refreshToken, 'base64url');
      const malformed = {
        'another version': encode({ ...parts, version: Buffer.from([1]) }),
        'another checksum': Buffer.concat([
          bytes.subarray(0, -1),
          Buffer.from([(bytes.at(-1) ?? 0) ^ 1]),
        ]).toString('base64url'),
        'a short signature': encode({ ...parts, signature: parts.signature.subarray(1) }),
        'a long signature': encode({
          ...parts,
          signature: Buffer.concat([parts.signature, Buffer.from([0])]),
        }),
        'no counter': encode({ ...parts, counter: Buffer.alloc(0) }),
        'a counter of eleven bytes': encode({ ...parts, counter: Buffer.alloc(11, 0xff) }),
        'a character of base64': `${user.refreshToken.slice(0, -1)}+`,
        padding: `${user.refreshToken}=`,
        'eleven characters': 'abcdefghijk',
        'an upper-case letter': 'abcdefghijkL',
        'thirteen characters': 'abcdefghijklm',
      };
      for (const [form, token] of Object.entries(malformed)) {
        const refused = await refresh(context, token);
        assert.equal(at(refused.json, 'code'), 'validation_failed', `the code for ${form}`);
        assertRefusal(refused, 400, 'validation_failed', 'Refresh token is not valid');
      }
      const forged = {
        'another signature': encode({ ...parts, signature: Buffer.alloc(16) }),
        'another counter': encode({ ...parts, counter: encodeCounter(1) }),
        'another session': encode({ ...parts, session: Buffer.alloc(16, 7) }),
      };
      for (const [form, token] of Object.entries(forged)) {
        const refused = await refresh(context, token);
        assert.equal(at(refused.json, 'code'), 'refresh_token_not_found', `the code for ${form}`);
        assertRefusal(
          refused,
          400,
          'refresh_token_not_found',
          'Invalid Refresh Token: Refresh Token Not Found',
        );
      }
      assertSession(await refresh(context, user.refreshToken));
    },
  ),
  audit(
    'AUTH-1162',
    'a token of version 2 with a counter above that of its session was not issued by this server',
    { ...options, needs: ['database'] },
    async (context) => {
      const user = await context.newUser();
      decode(user.refreshToken);
      const sessionId = String(at(jwtPartOf(user.accessToken), 'session_id'));
      const next = assertToken(await refresh(context, user.refreshToken), sessionId, 1);
      await setCounter(context, sessionId, 0);
      const refused = await refresh(context, next);
      assertRefusal(refused, 400, 'validation_failed', 'Invalid Refresh Token: Not Issued By This Server');
      assertSession(await refresh(context, user.refreshToken));
    },
  ),
  audit(
    'AUTH-1167',
    'headers name the user and the session of a refresh, and the beginning of a token of version 1',
    options,
    async (context) => {
      const user = await context.newUser();
      if (user.refreshToken.length !== 12) throw new NotRunError('refresh tokens have version 2');
      const signedIn = await context.signIn(user.email, user.password);
      const first = textAt(signedIn, 'refresh_token');
      const refreshed = await refresh(context, first);
      if (textAt(refreshed, 'refresh_token').length !== 12)
        throw new NotRunError('refresh tokens become those of version 2');
      const again = await refresh(context, first);
      const sessionId = at(jwtPartOf(textAt(signedIn, 'access_token')), 'session_id');
      for (const response of [signedIn, refreshed, again]) {
        assert.equal(response.headers.get('sb-auth-user-id'), user.id, 'sb-auth-user-id');
        assert.equal(response.headers.get('sb-auth-session-id'), sessionId, 'sb-auth-session-id');
        const prefix = textAt(response, 'refresh_token').slice(0, 5);
        assert.equal(
          response.headers.get('sb-auth-refresh-token-prefix'),
          prefix,
          'sb-auth-refresh-token-prefix',
        );
      }
      const reuse = [signedIn, refreshed, again].map(({ headers }) =>
        headers.get('sb-auth-refresh-token-reuse'),
      );
      assert.deepEqual(reuse, [null, 'false', null], 'sb-auth-refresh-token-reuse');
    },
  ),
];

/** Refreshes with an old token, while its session counts as refreshed a moment ago. */
async function refreshBehind(context: AuditContext, token: string, sessionId: string): Promise<WireResponse> {
  await context.query('update auth.sessions set refreshed_at = now() where id = $1', [sessionId]);
  return refresh(context, token);
}
