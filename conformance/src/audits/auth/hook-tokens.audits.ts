import { auditsOf, type Audit } from '../../audit/audit.ts';
import {
  assertSession,
  newAnonymousUser,
  type AuditContext,
  type AuditUser,
} from '../../audit/audit-context.ts';
import { assert } from '../../target/assertion.ts';
import type { HookResponse } from '../../target/hook-server.ts';
import { at, jwtPartOf, textAt, type WireResponse } from '../../target/wire.ts';
import { assertRefusal, lastCallOf } from './hook-call.ts';
import { generateLink, verifyToken } from './mail-link.ts';
import { enrollTotp } from './totp.ts';

const audit = auditsOf('auth');
const options = { source: 'protocol/auth.md#hooks', since: '1.0.0', needs: ['service-key'] } as const;
const tokenHook = 'custom_access_token';
const factorHook = 'mfa_verification_attempt';

const tokenCallOf = (context: AuditContext, text: string) =>
  lastCallOf(context, tokenHook, text, 'customize-access-token');

const refresh = ({ auth }: AuditContext, refresh_token: string) =>
  auth.send('POST', '/token', { query: { grant_type: 'refresh_token' }, body: { refresh_token } });

/** Signs in while the hook of tokens responds so. */
async function signInWith(
  context: AuditContext,
  user: AuditUser,
  response: HookResponse,
): Promise<WireResponse> {
  context.hooks.respond(tokenHook, user.id, response);
  return context.signIn(user.email, user.password);
}

const requiredClaims = 'aud exp iat sub email phone role aal session_id is_anonymous'.split(' ');

const valuesByType = {
  string: 'name',
  integer: 1,
  object: {},
  number: 1.5,
  null: null,
  array: [],
  boolean: true,
};

/** Claims with the type that they must have, and one that they must not have. */
const claimTypes = Object.entries({
  aud: ['[string,array]', 'integer'],
  exp: ['integer', 'string'],
  jti: ['string', 'integer'],
  iat: ['integer', 'number'],
  iss: ['string', 'boolean'],
  nbf: ['integer', 'object'],
  sub: ['string', 'integer'],
  email: ['string', 'null'],
  phone: ['string', 'array'],
  app_metadata: ['object', 'array'],
  user_metadata: ['object', 'null'],
  role: ['string', 'object'],
  aal: ['string', 'boolean'],
  amr: ['array', 'string'],
  session_id: ['string', 'integer'],
  client_id: ['string', 'integer'],
} as const);

/** Hooks that change the claims of tokens, and that decide about second factors. */
export const hookTokenAudits: readonly Audit[] = [
  audit(
    'AUTH-1142',
    'the hook of tokens receives the claims, and how the user signed in',
    options,
    async (context) => {
      const user = await context.newUser();
      assert.deepEqual(
        tokenCallOf(context, user.id),
        { user_id: user.id, claims: jwtPartOf(user.accessToken), authentication_method: 'password' },
        'the payload after a sign-in by password',
      );
      const methodOf = (text: string) => tokenCallOf(context, text)['authentication_method'];
      assertSession(await refresh(context, user.refreshToken));
      assert.equal(methodOf(user.id), 'token_refresh', 'authentication_method of a refresh');
      const link = await generateLink(context, { type: 'magiclink', email: user.email });
      assertSession(
        await verifyToken(context, { type: 'magiclink', token_hash: textAt(link, 'hashed_token') }),
      );
      assert.equal(methodOf(user.id), 'otp', 'authentication_method of a link');
      const code = await generateLink(context, { type: 'recovery', email: user.email });
      const token = textAt(code, 'email_otp');
      assertSession(await verifyToken(context, { type: 'email', email: user.email, token }));
      assert.equal(methodOf(user.id), 'otp', 'authentication_method of a code');
      const anonymous = await newAnonymousUser(context);
      const anonymousId = textAt(anonymous, 'user', 'id');
      assert.equal(methodOf(anonymousId), 'anonymous', 'authentication_method of an anonymous sign-in');
      assert.equal(at(tokenCallOf(context, anonymousId)['claims'], 'is_anonymous'), true, 'is_anonymous');
    },
  ),
  audit(
    'AUTH-1143',
    'the claims that the hook of tokens returns are those of the token, and no others',
    options,
    async (context) => {
      const user = await context.newUser();
      const claims = {
        ...(jwtPartOf(user.accessToken) as object),
        aud: ['authenticated', 'other'],
        iss: undefined,
        amr: ['password', { method: 'password', timestamp: 1 }],
        app_metadata: { plan: 'free' },
        plan: null,
        roles: ['a', 'b'],
      };
      const session = assertSession(await signInWith(context, user, { body: { claims, ignored: 1 } }));
      assert.deepEqual(
        jwtPartOf(textAt(session, 'access_token')),
        JSON.parse(JSON.stringify(claims)) as unknown,
        'the claims of the token',
      );
      assert.deepEqual(
        at(session.json, 'user', 'app_metadata'),
        { provider: 'email', providers: ['email'] },
        'app_metadata of the user, which the hook does not change',
      );
    },
  ),
  audit(
    'AUTH-1144',
    'a hook of tokens that returns no claims refuses the sign-in',
    options,
    async (context) => {
      const user = await context.newUser();
      const code = 'unexpected_failure';
      for (const body of [{}, { Claims: {} }])
        assertRefusal(await signInWith(context, user, { body }), 500, code, 'output claims field is missing');
      for (const claims of [[], 'text', 1, true]) {
        const refused = await signInWith(context, user, { body: { claims } });
        assertRefusal(refused, 500, code, 'Error unmarshaling JSON output.');
      }
      const error = { http_code: 403, message: 'Members only.' };
      assertRefusal(await signInWith(context, user, { body: { error } }), 403, 'unknown', 'Members only.');
      assertSession(await signInWith(context, user, { body: { claims: jwtPartOf(user.accessToken) } }));
    },
  ),
  audit(
    'AUTH-1145',
    'claims of the hook of tokens that lack a member or have one of another type are refused one by one',
    options,
    async (context) => {
      const user = await context.newUser();
      const own = jwtPartOf(user.accessToken) as Readonly<Record<string, unknown>>;
      const refusalOf = async (claims: unknown) => {
        const refused = await signInWith(context, user, { body: { claims } });
        const problems = String(at(refused.json, 'message')).split('\n');
        const head = problems.shift();
        assert.equal(head, 'output claims do not conform to the expected schema: ', 'the message begins so');
        return problems.filter((problem) => problem !== '').toSorted();
      };
      assert.deepEqual(
        await refusalOf(null),
        ['- (root): Invalid type. Expected: object, given: null'],
        'the problems of claims that are null',
      );
      assert.deepEqual(
        await refusalOf({}),
        requiredClaims.map((name) => `- (root): ${name} is required`).toSorted(),
        'the problems of no claims',
      );
      assert.deepEqual(
        await refusalOf({
          ...own,
          ...Object.fromEntries(claimTypes.map(([name, [, given]]) => [name, valuesByType[given]])),
        }),
        claimTypes
          .map(
            ([name, [expected, given]]) => `- ${name}: Invalid type. Expected: ${expected}, given: ${given}`,
          )
          .toSorted(),
        'the problems of claims of other types',
      );
      assert.deepEqual(
        await refusalOf({ ...own, amr: ['password', 1, {}] }),
        [
          '- amr.1: Invalid type. Expected: string, given: integer',
          '- amr.1: Must validate at least one schema (anyOf)',
        ],
        'the problems of amr with a number',
      );
    },
  ),
  audit(
    'AUTH-1146',
    'right and wrong codes of a factor are passed to the hook of factors',
    options,
    async (context) => {
      const user = await context.newUser();
      const { id, verify } = await enrollTotp(context, user.accessToken);
      const callOf = () => lastCallOf(context, factorHook, user.id, 'mfa-verification');
      const payload = { user_id: user.id, factor_id: id, factor_type: 'totp' };
      const refused = await verify(false);
      assertRefusal(refused, 422, 'mfa_verification_failed', 'Invalid TOTP code entered');
      assert.deepEqual(callOf(), { ...payload, valid: false }, 'the payload of a wrong code');
      assertSession(await verify(true));
      assert.deepEqual(callOf(), { ...payload, valid: true }, 'the payload of a right code');
    },
  ),
  audit(
    'AUTH-1147',
    'the hook of factors refuses a code with its message, which ends the sessions of the user',
    options,
    async (context) => {
      const refusals = [
        [{ decision: 'reject', message: 'Too often.' }, 'Too often.', false],
        [{ decision: 'reject' }, 'Further MFA verification attempts will be rejected.', true],
      ] as const;
      for (const [body, message, isRight] of refusals) {
        const user = await context.newUser();
        const { verify } = await enrollTotp(context, user.accessToken);
        context.hooks.respond(factorHook, user.id, { body: { decision: 'continue', message: 'Ignored.' } });
        assertRefusal(await verify(false), 422, 'mfa_verification_failed', 'Invalid TOTP code entered');
        context.hooks.respond(factorHook, user.id, { body: { error: { http_code: 418, message: 'No.' } } });
        assertRefusal(await verify(true), 418, 'unknown', 'No.');
        for (const unreadable of [{ decision: 1 }, { message: false }]) {
          context.hooks.respond(factorHook, user.id, { body: unreadable });
          const failed = await verify(true);
          assertRefusal(failed, 500, 'unexpected_failure', 'Error unmarshaling JSON output.');
        }
        const { status } = await context.auth.send('GET', '/user', { token: user.accessToken });
        assert.equal(status, 200, 'the status of the session');
        context.hooks.respond(factorHook, user.id, { body });
        assertRefusal(await verify(isRight), 403, 'mfa_verification_rejected', message);
        const ended = await context.auth.send('GET', '/user', { token: user.accessToken });
        assert.equal(at(ended.json, 'code'), 'session_not_found', 'the code of the ended session');
      }
    },
  ),
];
