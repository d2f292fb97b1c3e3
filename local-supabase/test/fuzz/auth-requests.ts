import * as fc from 'fast-check';
import { routes } from '../../src/services/auth/routes.ts';
import {
  bodyOf,
  contentTypes,
  type FuzzedRequest,
  methods,
  printable,
  segmentOf,
  valueOf,
} from './fuzzed-requests.ts';

const MEMBERS = [
  'email',
  'password',
  'phone',
  'token',
  'token_hash',
  'type',
  'data',
  'refresh_token',
  'auth_code',
  'code_verifier',
  'code_challenge',
  'code_challenge_method',
  'create_user',
  'channel',
  'nonce',
  'current_password',
  'provider',
  'id_token',
  'access_token',
  'chain',
  'message',
  'signature',
  'factor_type',
  'friendly_name',
  'issuer',
  'challenge_id',
  'code',
  'webauthn',
  'credential',
  'role',
  'app_metadata',
  'user_metadata',
  'email_confirm',
  'phone_confirm',
  'ban_duration',
  'password_hash',
  'id',
  'aud',
  'redirect_to',
  'new_email',
  'should_soft_delete',
  'domain',
  'domains',
  'provider_id',
  'metadata_xml',
  'metadata_url',
  'attribute_mapping',
  'client_name',
  'redirect_uris',
  'grant_types',
  'client_id',
  'client_secret',
  'action',
  'gotrue_meta_security',
];

const QUERIES = [
  '',
  '?grant_type=password',
  '?grant_type=refresh_token',
  '?grant_type=pkce',
  '?grant_type=id_token',
  '?grant_type=web3',
  '?grant_type=x%00',
  '?provider=google&redirect_to=%00',
  '?provider=x&scopes=%F0',
  '?token=a&type=signup&redirect_to=http://[',
  '?token=%00&type=recovery',
  '?scope=others',
  '?code=%00&state=a.b.c',
  '?error=x&error_description=%E4',
  '?page=-1&per_page=x',
  '?filter=%25%00&sort=email%20desc',
  '?client_id=x&response_type=code&code_challenge=%00',
];

const value = (userId: string) =>
  valueOf(
    'ada@example.com',
    'A@B',
    '+15555550100',
    userId,
    'totp',
    'webauthn',
    'signup',
    'recovery',
    'email',
    'x'.repeat(73),
    ['password'],
    { captcha_token: null },
    { type: 'create', credential_response: {} },
  );

/** Requests to every route, some as a signed-in user, with real and odd ids. */
export function authRequests(userId: string, userToken: string): fc.Arbitrary<FuzzedRequest> {
  const segment = segmentOf(userId, '00000000-0000-4000-8000-000000000000');
  const pathOf = (path: string) =>
    fc
      .tuple(...path.split('/').map((part) => (part.startsWith(':') ? segment : fc.constant(part))))
      .map((parts) => parts.join('/'));
  const route = fc.constantFrom(...routes).chain(({ method, path }) =>
    fc.record({
      method: fc.oneof({ weight: 5, arbitrary: fc.constant(method) }, { weight: 1, arbitrary: methods }),
      path: fc.tuple(pathOf(path), fc.constantFrom(...QUERIES)).map((parts) => parts.join('')),
    }),
  );
  const headers = fc.record(
    {
      'content-type': contentTypes,
      authorization: fc.constantFrom(
        `Bearer ${userToken}`,
        `bearer ${userToken}`,
        'Bearer a.b.c',
        'Basic eDp5',
        '',
      ),
      'x-supabase-api-version': fc.constantFrom('2024-01-01', 'x'),
      'x-forwarded-for': printable,
      referer: printable,
      redirect_to: printable,
      cookie: printable,
    },
    { requiredKeys: ['content-type'] },
  );
  return fc
    .record({ route, headers, body: bodyOf(MEMBERS, value(userId)), isService: fc.boolean() })
    .map(({ route: { method, path }, headers: sent, body, isService }) => ({
      method,
      path,
      headers: sent,
      body,
      isService,
    }));
}
