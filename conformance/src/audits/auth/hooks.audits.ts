import { auditsOf, type Audit } from '../../audit/audit.ts';
import { assertSession, type AuditContext, type AuditUser } from '../../audit/audit-context.ts';
import { assert } from '../../target/assertion.ts';
import { signaturesOf, type HookResponse } from '../../target/hook-server.ts';
import { assertError, type WireResponse } from '../../target/wire.ts';
import { assertRefusal, lastCallOf } from './hook-call.ts';

const audit = auditsOf('auth');
const options = { source: 'protocol/auth.md#hooks', since: '1.0.0', needs: ['service-key'] } as const;

const passwordHook = 'password_verification_attempt';

/** Signs in while the hook of passwords responds so. */
async function signInWith(
  context: AuditContext,
  user: AuditUser,
  ...responses: readonly HookResponse[]
): Promise<WireResponse> {
  context.hooks.respond(passwordHook, user.id, ...responses);
  return context.signIn(user.email, user.password);
}

const isSignedIn = async ({ auth }: AuditContext, token: string): Promise<boolean> =>
  (await auth.send('GET', '/user', { token })).status === 200;

/** The hooks of verification attempts, and what all hooks by HTTP have in common. */
export const hookAudits: readonly Audit[] = [
  audit(
    'AUTH-1131',
    'a hook by HTTP is called with the signatures of all secrets over id, time and payload',
    options,
    async (context) => {
      const user = await context.newUser();
      const [call] = context.hooks.calls(passwordHook, user.id);
      if (!call) return assert.fail('the service calls the hook', 'no call');
      const { headers } = call;
      assert.equal(headers['content-type'], 'application/json', 'content-type of the call');
      assert.match(String(headers['webhook-id']), /^[\da-f-]{36}$/, 'webhook-id');
      const sentSeconds = Number(headers['webhook-timestamp']);
      assert.ok(Number.isInteger(sentSeconds), 'webhook-timestamp is in whole seconds', String(sentSeconds));
      assert.ok(Math.abs(sentSeconds - Date.now() / 1000) < 300, 'webhook-timestamp is the time of the call');
      assert.equal(headers['webhook-signature'], signaturesOf(call).join(', '), 'webhook-signature');
    },
  ),
  audit(
    'AUTH-1132',
    'right and wrong passwords are passed to the hook of passwords',
    options,
    async (context) => {
      const user = await context.newUser();
      const name = 'password-verification';
      assert.deepEqual(
        lastCallOf(context, passwordHook, user.id, name),
        { user_id: user.id, valid: true },
        'the payload',
      );
      assertError(await context.signIn(user.email, 'not the password'), 400, 'invalid_credentials');
      assert.deepEqual(
        lastCallOf(context, passwordHook, user.id, name),
        { user_id: user.id, valid: false },
        'the payload',
      );
    },
  ),
  audit(
    'AUTH-1133',
    'the hook of passwords refuses a sign-in with its message, and ends the sessions if it says so',
    options,
    async (context) => {
      const user = await context.newUser();
      const refuse = (more: object) => signInWith(context, user, { body: { decision: 'reject', ...more } });
      assertRefusal(await refuse({ message: 'Too often.' }), 400, 'invalid_credentials', 'Too often.');
      const message = 'Further password verification attempts will be rejected.';
      assertRefusal(await refuse({ message: '' }), 400, 'invalid_credentials', message);
      assertRefusal(await refuse({ should_logout_user: false }), 400, 'invalid_credentials', message);
      assert.ok(await isSignedIn(context, user.accessToken), 'the session remains');
      const continued = { decision: 'continue', should_logout_user: true, message: 'Ignored.' };
      assertSession(await signInWith(context, user, { body: continued }));
      assert.ok(await isSignedIn(context, user.accessToken), 'the session remains');
      assertRefusal(await refuse({ should_logout_user: true }), 400, 'invalid_credentials', message);
      assert.ok(!(await isSignedIn(context, user.accessToken)), 'the session has ended');
    },
  ),
  audit(
    'AUTH-1134',
    'an error of a hook is returned with its status and message; one without a message is ignored',
    options,
    async (context) => {
      const user = await context.newUser();
      const fail = (error: unknown) => signInWith(context, user, { body: { error } });
      assertRefusal(await fail({ http_code: 418, message: 'No tea.' }), 418, 'unknown', 'No tea.');
      assertRefusal(await fail({ http_code: 500, message: 'Broken.' }), 500, 'unexpected_failure', 'Broken.');
      assertRefusal(await fail({ message: 'No code.' }), 500, 'unexpected_failure', 'No code.');
      assertRefusal(await fail({ http_code: null, message: 'Null.' }), 500, 'unexpected_failure', 'Null.');
      for (const ignored of [
        null,
        {},
        { http_code: 418 },
        { http_code: 418, message: '' },
        'text',
        [],
        { http_code: '418', message: 'Text.' },
        { http_code: 418.5, message: 'Half.' },
        { http_code: 418, message: 1 },
      ])
        assertSession(await fail(ignored));
    },
  ),
  audit(
    'AUTH-1135',
    'a response of a hook that is no JSON object, or has a field of another type, is 500 unexpected_failure',
    options,
    async (context) => {
      const user = await context.newUser();
      const message = 'Error unmarshaling JSON output.';
      for (const body of [
        '{',
        '[]',
        '"text"',
        '1',
        'true',
        { decision: 1 },
        { message: [] },
        { should_logout_user: 'yes' },
      ])
        assertRefusal(await signInWith(context, user, { body }), 500, 'unexpected_failure', message);
      for (const body of ['null', '{}', { decision: null, message: null, should_logout_user: null }])
        assertSession(await signInWith(context, user, { body }));
    },
  ),
  audit(
    'AUTH-1136',
    'a hook responds with 200, 202 or 204; each other status is 500 unexpected_failure',
    options,
    async (context) => {
      const user = await context.newUser();
      for (const status of [200, 202]) assertSession(await signInWith(context, user, { status, body: {} }));
      assertSession(await signInWith(context, user, { status: 204, headers: {} }));
      const refused = { status: 202, body: { decision: 'reject', message: 'Read.' } };
      assertRefusal(await signInWith(context, user, refused), 400, 'invalid_credentials', 'Read.');
      const messages = {
        201: 'Unexpected status code returned from hook: 201',
        400: 'Invalid payload sent to hook',
        401: 'Hook requires authorization token',
        403: 'Unexpected status code returned from hook: 403',
        429: 'Service currently unavailable due to hook',
        500: 'Unexpected status code returned from hook: 500',
        503: 'Service currently unavailable due to hook',
      };
      for (const [status, message] of Object.entries(messages)) {
        const response = await signInWith(context, user, { status: Number(status), body: {} });
        assertRefusal(response, 500, 'unexpected_failure', message);
      }
    },
  ),
  audit(
    'AUTH-1137',
    'a busy hook that names a time is called three times at most',
    options,
    async (context) => {
      const user = await context.newUser();
      const busy = (status: number) => ({ status, headers: { 'retry-after': '1' } });
      const countBefore = context.hooks.calls(passwordHook, user.id).length;
      assertSession(await signInWith(context, user, busy(429), busy(503), { body: {} }));
      const calls = context.hooks.calls(passwordHook, user.id).slice(countBefore);
      assert.equal(calls.length, 3, 'the number of calls');
      assert.equal(new Set(calls.map(({ headers }) => headers['webhook-id'])).size, 3, 'the number of ids');
      assert.equal(new Set(calls.map(({ text }) => text)).size, 1, 'the number of payloads');
      const refused = await signInWith(context, user, busy(429));
      assertRefusal(refused, 500, 'unexpected_failure', 'Service currently unavailable due to hook');
      assert.equal(context.hooks.calls(passwordHook, user.id).length, countBefore + 6, 'the number of calls');
    },
  ),
  audit(
    'AUTH-1138',
    'a response of a hook is JSON by its header, with or without parameters: hook_payload_invalid_content_type',
    options,
    async (context) => {
      const user = await context.newUser();
      const send = (type?: string) =>
        signInWith(context, user, {
          headers: type === undefined ? {} : { 'content-type': type },
          body: '{}',
        });
      const code = 'hook_payload_invalid_content_type';
      assertRefusal(await send(), 400, code, 'Invalid Content-Type: Missing Content-Type header');
      for (const type of ['text/plain', 'application/json5; charset=utf-8'])
        assertRefusal(await send(type), 400, code, `Invalid JSON response. Received content-type: ${type}`);
      for (const type of ['application/json; charset=utf-8', 'Application/JSON', ' application/json ;x=1'])
        assertSession(await send(type));
    },
  ),
  audit(
    'AUTH-1139',
    'a response of a hook has at most 200 KiB: hook_payload_over_size_limit',
    options,
    async (context) => {
      const user = await context.newUser();
      const ofBytes = (bytes: number) => ({ body: `{"a":"${'a'.repeat(bytes - 8)}"}` });
      assertSession(await signInWith(context, user, ofBytes(200 * 1024)));
      const refused = await signInWith(context, user, ofBytes(200 * 1024 + 1));
      const message = 'Payload size exceeded size limit of 204800 bytes';
      assertRefusal(refused, 422, 'hook_payload_over_size_limit', message);
    },
  ),
  audit(
    'AUTH-1140',
    'a hook that ends its connections is called three times, two seconds apart: hook_timeout_after_retry',
    options,
    async (context) => {
      const user = await context.newUser();
      const before = context.hooks.calls(passwordHook, user.id).length;
      const startedMs = performance.now();
      assertSession(await signInWith(context, user, { isLost: true }, { body: {} }));
      assert.ok(performance.now() - startedMs > 1900, 'the second call comes two seconds later');
      const refused = await signInWith(context, user, { isLost: true });
      const message = 'Failed to reach hook after maximum retries';
      assertRefusal(refused, 422, 'hook_timeout_after_retry', message);
      assert.equal(context.hooks.calls(passwordHook, user.id).length, before + 5, 'the number of calls');
    },
  ),
  audit(
    'AUTH-1141',
    'a hook that does not respond within five seconds is 422 hook_timeout',
    options,
    async (context) => {
      const user = await context.newUser();
      const startedMs = performance.now();
      const refused = await signInWith(context, user, { isEndless: true });
      const message = 'Failed to reach hook within maximum time of 5.000000 seconds';
      assertRefusal(refused, 422, 'hook_timeout', message);
      assert.ok(performance.now() - startedMs > 4900, 'the service waits five seconds');
    },
  ),
];
