import { auditsOf, type Audit } from '../../audit/audit.ts';
import { newAnonymousUser } from '../../audit/audit-context.ts';
import { NotRunError } from '../../target/target.ts';
import { assertStatus, at, textAt } from '../../target/wire.ts';
import { assertRefusal } from './hook-call.ts';

const audit = auditsOf('auth');
const options = { source: 'protocol/auth.md#refused-requests', since: '1.0.0' } as const;

const email = 'audit@example.com';
const phone = '15550000000';
const password = 'Secret-1 to be kept';
const channel = `Invalid channel, supported values are 'sms' or 'whatsapp'. 'whatsapp' is only supported if Twilio or Twilio Verify is used as the provider.`;

/** Bodies that a route refuses as validation_failed, with the messages. */
const refused: readonly (readonly [string, object, string])[] = [
  ['/otp', { email, phone }, 'Only an email address or phone number should be provided'],
  ['/otp', { email, channel: 'sms' }, 'Channel should only be specified with Phone OTP'],
  ['/otp', {}, 'One of email or phone must be set'],
  ...['no number', '15551234x', '5', '1'.repeat(16), '0155512345'].map(
    (phone) => ['/otp', { phone }, 'Invalid phone number format (E.164 required)'] as const,
  ),
  ['/resend', {}, 'Missing one of these types: signup, email_change, sms, phone_change'],
  [
    '/resend',
    { type: 'recovery', email },
    'Missing one of these types: signup, email_change, sms, phone_change',
  ],
  ['/resend', { type: 'signup' }, 'Type provided requires an email address'],
  ['/resend', { type: 'signup', phone }, 'Type provided requires an email address'],
  ['/resend', { type: 'sms', email }, 'Type provided requires a phone number'],
  ['/resend', { type: 'email_change' }, 'Missing email address or phone number'],
  ['/resend', { type: 'phone_change' }, 'Missing email address or phone number'],
  ['/resend', { type: 'signup', email, phone }, 'Only an email address or phone number should be provided.'],
  ['/recover', {}, 'Password recovery requires an email'],
  ['/verify', {}, 'Verify requires a verification type'],
  ['/verify', { type: 'signup' }, 'Verify requires either a token or a token hash'],
  [
    '/verify',
    { type: 'signup', token: '1', token_hash: '2' },
    'Verify requires either a token or a token hash',
  ],
  [
    '/verify',
    { type: 'signup', token: '1' },
    'Only an email address or phone number should be provided on verify',
  ],
  [
    '/verify',
    { type: 'signup', token: '1', email, phone },
    'Only an email address or phone number should be provided on verify',
  ],
  ['/verify', { type: 'signup', token_hash: '1', email }, 'Only the token_hash and type should be provided'],
  ['/signup', { email }, 'Signup requires a valid password'],
  [
    '/signup',
    { email, phone, password },
    'Only an email address or phone number should be provided on signup.',
  ],
  [
    '/signup',
    { phone, password, code_challenge: 'a'.repeat(43), code_challenge_method: 's256' },
    'PKCE not supported for phone signups',
  ],
  ['/signup', { phone: '0', password }, 'Invalid phone number format (E.164 required)'],
  [
    '/signup',
    { email, password, code_challenge: 'a'.repeat(43) },
    'PKCE flow requires code_challenge_method and code_challenge',
  ],
  [
    '/recover',
    { email, code_challenge: 'a'.repeat(42), code_challenge_method: 's256' },
    'code challenge has to be between 43 and 128 characters',
  ],
  [
    '/recover',
    { email, code_challenge: '!'.repeat(43), code_challenge_method: 's256' },
    'code challenge can only contain alphanumeric characters, hyphens, periods, underscores and tildes',
  ],
  [
    '/token?grant_type=password',
    { email, phone, password },
    'Only an email address or phone number should be provided on login.',
  ],
  ['/token?grant_type=password', { password }, 'missing email or phone'],
  ['/token?grant_type=pkce', {}, 'invalid request: both auth code and code verifier should be non-empty'],
  [
    '/token?grant_type=pkce',
    { auth_code: 'x' },
    'invalid request: both auth code and code verifier should be non-empty',
  ],
  [
    '/token?grant_type=pkce',
    { code_verifier: 'x' },
    'invalid request: both auth code and code verifier should be non-empty',
  ],
  ['/token?grant_type=refresh_token', {}, 'Refresh token is not valid'],
];

/** Messages of refused requests, which developers and error pages read. */
export const refusalAudits: readonly Audit[] = [
  audit(
    'AUTH-1205',
    'a body that lacks a member or has too many is refused with a message that says so',
    { ...options, level: 'SHOULD' },
    async ({ auth }) => {
      for (const [path, body, message] of refused)
        assertRefusal(await auth.send('POST', path, { body }), 400, 'validation_failed', message);
    },
  ),
  audit(
    'AUTH-1206',
    'an unknown channel of an SMS is refused where no hook sends it, and names the known ones',
    { ...options, level: 'SHOULD' },
    async ({ auth, newPhone }) => {
      const response = await auth.send('POST', '/otp', { body: { phone: newPhone(), channel: 'pigeon' } });
      if (response.status !== 400) throw new NotRunError('the target accepts each channel');
      assertRefusal(response, 400, 'validation_failed', channel);
      const body = { phone: newPhone(), password, channel: 'pigeon' };
      assertRefusal(await auth.send('POST', '/signup', { body }), 400, 'validation_failed', channel);
    },
  ),
  audit(
    'AUTH-1207',
    'an anonymous user sets no password without an address, and proves nothing without one',
    options,
    async (context) => {
      const token = textAt(await newAnonymousUser(context), 'access_token');
      const changed = await context.auth.send('PUT', '/user', { token, body: { password } });
      const message = 'Updating password of an anonymous user without an email or phone is not allowed';
      assertRefusal(changed, 422, 'validation_failed', message);
      const proof = await context.auth.send('GET', '/reauthenticate', { token });
      const reason = 'Reauthentication requires the user to have an email or a phone number';
      assertRefusal(proof, 400, 'validation_failed', reason);
    },
  ),
  audit(
    'AUTH-1208',
    'a custom provider may be at a public address of IPv6, not at a private one',
    { ...options, needs: ['service-key'], source: 'protocol/auth.md#administration' },
    async (context) => {
      const identifier = `custom:${context.run.newName()}`;
      const add = (host: string) =>
        context.admin('POST', '/custom-providers', {
          provider_type: 'oauth2',
          identifier,
          name: 'Audit',
          client_id: 'audit-client',
          client_secret: 'audit-secret',
          authorization_url: `https://${host}/authorize`,
          token_url: `https://${host}/token`,
          userinfo_url: `https://${host}/userinfo`,
        });
      const created = await add('[2606:4700:4700::1111]');
      if (created.status === 404) throw new NotRunError('the target takes no custom providers');
      assertStatus(created, 201);
      try {
        for (const host of ['[fd00::1]', '[fe80::1]', '[::1]', '[::ffff:10.0.0.1]']) {
          const response = await add(host);
          if (at(response.json, 'code') !== 'validation_failed') assertStatus(response, 400);
        }
      } finally {
        await context.admin('DELETE', `/custom-providers/${identifier}`);
      }
    },
  ),
];
