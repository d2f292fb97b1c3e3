import type { Sql } from '../../../database/database.ts';
import type { Claims } from '../../../keys/keys.ts';
import type { AuthContext } from '../context.ts';
import type { Call } from '../http/call.ts';
import { internal } from '../http/errors.ts';
import { invokeHook, isHookEnabled } from './invoke-hook.ts';

/** JSON types of the claims that a hook may return; other claims may have any type. */
const claimTypes: Readonly<Record<string, readonly string[]>> = {
  aud: ['string', 'array'],
  exp: ['integer'],
  jti: ['string'],
  iat: ['integer'],
  iss: ['string'],
  nbf: ['integer'],
  sub: ['string'],
  email: ['string'],
  phone: ['string'],
  app_metadata: ['object'],
  user_metadata: ['object'],
  role: ['string'],
  aal: ['string'],
  amr: ['array'],
  session_id: ['string'],
  client_id: ['string'],
};

const requiredClaims = [
  'aud',
  'exp',
  'iat',
  'sub',
  'email',
  'phone',
  'role',
  'aal',
  'session_id',
  'is_anonymous',
];

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : typeof value;
}

function wrongType(path: string, expected: readonly string[], value: unknown): string {
  const types = expected.length > 1 ? `[${expected.join(',')}]` : expected.join();
  return `${path}: Invalid type. Expected: ${types}, given: ${typeOf(value)}`;
}

function problemsOf(claims: unknown): readonly string[] {
  if (typeOf(claims) !== 'object') return [wrongType('(root)', ['object'], claims)];
  const given = claims as Readonly<Record<string, unknown>>;
  const missing = requiredClaims.filter((name) => !Object.hasOwn(given, name));
  const mistyped = Object.entries(claimTypes).filter(
    ([name, types]) => Object.hasOwn(given, name) && !types.includes(typeOf(given[name])),
  );
  const methods: readonly unknown[] = Array.isArray(given['amr']) ? given['amr'] : [];
  return [
    ...missing.map((name) => `(root): ${name} is required`),
    ...mistyped.map(([name, types]) => wrongType(name, types, given[name])),
    ...methods.flatMap((method, index) =>
      ['string', 'object'].includes(typeOf(method))
        ? []
        : [
            `amr.${index}: Must validate at least one schema (anyOf)`,
            wrongType(`amr.${index}`, ['string'], method),
          ],
    ),
  ];
}

/**
 * Returns the claims of a new access token, as customized by the project's hook if it has one. Throws 500 when the
 * hook's claims are missing or invalid.
 *
 * @param method how the session's user signed in, or `token_refresh`.
 */
export async function customizeClaims(
  context: AuthContext,
  call: Call,
  sql: Sql,
  claims: Claims,
  method: string,
): Promise<Claims> {
  if (!isHookEnabled(context, 'custom_access_token')) return claims;
  const payload = { user_id: claims.sub, claims, authentication_method: method };
  const response = await invokeHook(context, call, 'custom_access_token', payload, sql);
  if (response !== null && !Object.hasOwn(response, 'claims'))
    throw internal('output claims field is missing');
  const custom = response?.['claims'] ?? null;
  if (custom !== null && typeOf(custom) !== 'object') throw internal('Error unmarshaling JSON output.');
  const problems = problemsOf(custom);
  if (problems.length > 0)
    throw internal(
      `output claims do not conform to the expected schema: \n${problems.map((problem) => `- ${problem}\n`).join('')}`,
    );
  return custom as Claims;
}
