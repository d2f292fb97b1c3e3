import { auditsOf, type Audit } from '../../audit/audit.ts';
import type { AuditContext } from '../../audit/audit-context.ts';
import { assert } from '../../target/assertion.ts';
import { NotRunError } from '../../target/target.ts';
import { assertError, assertStatus, at, textAt, type Wire, type WireResponse } from '../../target/wire.ts';
import { assertRefusal } from './hook-call.ts';
import { generateLink } from './mail-link.ts';
import { createUnwatchedWire } from './unwatched-wire.ts';

const audit = auditsOf('auth');
const options = { source: 'protocol/auth.md#rate-limits', since: '1.0.0' } as const;
const password = 'Secret-1 to be kept';

/** The maximum number of messages that an audit spends of a project's limit. */
const maxMessages = 4;

interface Limit {
  readonly code: string;
  readonly message: string;
}

const mails: Limit = { code: 'over_email_send_rate_limit', message: 'email rate limit exceeded' };
const texts: Limit = { code: 'over_sms_send_rate_limit', message: 'SMS rate limit exceeded' };

/** Requests messages to new addresses until one is refused. @throws NotRunError if none is. */
async function spend(request: () => Promise<WireResponse>, { message }: Limit): Promise<void> {
  for (let count = 0; count < maxMessages; count += 1) {
    const response = await request();
    if (at(response.json, 'message') === message) return;
    if (response.status !== 200) throw new NotRunError(`the project refuses messages: ${response.text}`);
  }
  throw new NotRunError(`the project sends more than ${maxMessages} messages in an hour`);
}

const readUser = async (wire: Wire, token: string): Promise<unknown> =>
  (await wire.send('GET', '/user', { token })).json;

const assertLimited = (response: WireResponse, { code, message }: Limit): void =>
  assertRefusal(response, 429, code, message);

/** Asserts that each request of the user is refused: its method, its path and, where it has one, its body. */
async function assertEachLimited(
  wire: Wire,
  token: string,
  limit: Limit,
  requests: readonly (readonly [string, string, object?])[],
): Promise<void> {
  for (const [method, path, body] of requests)
    assertLimited(await wire.send(method, path, { token, ...(body && { body }) }), limit);
}

/** A user with this password, and nothing else, and the access token of a session. */
async function newSession(
  context: AuditContext,
  address: { readonly email: string } | { readonly phone: string },
): Promise<string> {
  const body = { ...address, password };
  const user = { ...body, email_confirm: true, phone_confirm: true };
  assertStatus(await context.admin('POST', '/users', user), 200);
  const query = { grant_type: 'password' };
  return textAt(await context.auth.send('POST', '/token', { query, body }), 'access_token');
}

/** The limits of the messages that a project sends in an hour. */
export const messageLimitAudits: readonly Audit[] = [
  audit(
    'AUTH-1211',
    'where the mails of an hour are spent, each request for one is refused and changes nothing',
    { ...options, needs: ['service-key', 'email-confirmation'] },
    async (context) => {
      const wire = createUnwatchedWire(context);
      const email = context.newEmail();
      const token = await newSession(context, { email });
      const before = await readUser(wire, token);
      await spend(
        () => wire.send('POST', '/signup', { body: { email: context.newEmail(), password } }),
        mails,
      );
      const refused = context.newEmail();
      await assertEachLimited(wire, token, mails, [
        ['POST', '/signup', { email: refused, password }],
        ['POST', '/otp', { email }],
        ['POST', '/magiclink', { email }],
        ['POST', '/recover', { email }],
        ['GET', '/reauthenticate'],
        ['PUT', '/user', { email: context.newEmail() }],
      ]);
      const serviceKey = context.target.serviceKey ?? '';
      const invited = await wire.send('POST', '/invite', { token: serviceKey, body: { email: refused } });
      assertLimited(invited, mails);
      assert.deepEqual(await readUser(wire, token), before, 'the user after the refusals');
      const body = { email: refused, password };
      const signedIn = await wire.send('POST', '/token', { query: { grant_type: 'password' }, body });
      assertError(signedIn, 400, 'invalid_credentials');
      assertStatus(await generateLink(context, { type: 'recovery', email }), 200);
    },
  ),
  audit(
    'AUTH-1212',
    'where the SMS of an hour are spent, each request for one is refused and changes nothing',
    { ...options, needs: ['service-key', 'phone-confirmation'] },
    async (context) => {
      const wire = createUnwatchedWire(context);
      const phone = context.newPhone();
      const token = await newSession(context, { phone });
      const before = await readUser(wire, token);
      await spend(
        () => wire.send('POST', '/signup', { body: { phone: context.newPhone(), password } }),
        texts,
      );
      const refused = context.newPhone();
      await assertEachLimited(wire, token, texts, [
        ['POST', '/signup', { phone: refused, password }],
        ['POST', '/otp', { phone }],
        ['GET', '/reauthenticate'],
        ['PUT', '/user', { phone: context.newPhone() }],
      ]);
      assert.deepEqual(await readUser(wire, token), before, 'the user after the refusals');
      const body = { phone: refused, password };
      const signedIn = await wire.send('POST', '/token', { query: { grant_type: 'password' }, body });
      assertError(signedIn, 400, 'invalid_credentials');
    },
  ),
];
