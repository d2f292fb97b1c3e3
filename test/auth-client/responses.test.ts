import { assert, constantFrom, jsonValue, oneof, property } from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { parseTokenResponse, parseUser } from '../../src/auth-client/wire/responses.ts';
import { propertyRuns } from '../support/property-runs.ts';

/** The schemas of the responses again, written in zod for the comparison. */
const text = z.nullish(z.string());
const data = z.nullish(z.record(z.string(), z.unknown()));
const identitySchema = z.looseObject({
  identity_id: z.string(),
  id: text,
  user_id: text,
  provider: text,
  identity_data: data,
  created_at: text,
  last_sign_in_at: text,
});
const factorSchema = z.looseObject({
  id: z.string(),
  factor_type: z.string(),
  status: z.string(),
  friendly_name: text,
  phone: text,
});
const userSchema = z.looseObject({
  id: z.string(),
  aud: text,
  role: text,
  email: text,
  new_email: text,
  phone: text,
  email_confirmed_at: text,
  phone_confirmed_at: text,
  last_sign_in_at: text,
  created_at: text,
  updated_at: text,
  is_anonymous: z.nullish(z.boolean()),
  app_metadata: data,
  user_metadata: data,
  identities: z.nullish(z.array(identitySchema)),
  factors: z.nullish(z.array(factorSchema)),
});
const sessionSchema = z.looseObject({
  access_token: z.string().check(z.minLength(1)),
  refresh_token: z.string().check(z.minLength(1)),
  expires_in: z.optional(z.number()),
  expires_at: z.optional(z.number()),
  user: userSchema,
  provider_token: text,
  provider_refresh_token: text,
  weak_password: z.nullish(z.looseObject({ message: text, reasons: z.nullish(z.array(z.string())) })),
});

const user = {
  id: 'u1',
  aud: 'authenticated',
  role: 'authenticated',
  email: 'ada@example.com',
  new_email: 'ada@new.example.com',
  phone: '',
  email_confirmed_at: '2026-01-01T00:00:00Z',
  phone_confirmed_at: null,
  last_sign_in_at: '2026-01-01T00:00:00Z',
  created_at: '2026-01-01T00:00:00Z',
  updated_at: '2026-01-01T00:00:00Z',
  is_anonymous: false,
  app_metadata: { provider: 'email' },
  user_metadata: { name: 'Ada' },
  identities: [
    {
      identity_id: 'i1',
      id: 'u1',
      user_id: 'u1',
      provider: 'email',
      identity_data: { email: 'ada@example.com' },
      created_at: '2026-01-01T00:00:00Z',
      last_sign_in_at: null,
    },
  ],
  factors: [{ id: 'f1', factor_type: 'totp', status: 'verified', friendly_name: 'Phone', phone: null }],
};
const session = {
  access_token: 'a.b.c',
  refresh_token: 'r1',
  token_type: 'bearer',
  expires_in: 3600,
  expires_at: 1_767_229_200,
  user,
  provider_token: null,
  provider_refresh_token: 'p1',
  weak_password: { message: 'weak', reasons: ['length'] },
};

type Path = readonly (string | number)[];

function pathsOf(value: unknown, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [path];
  return [path, ...Object.entries(value).flatMap(([key, item]) => pathsOf(item, [...path, key]))];
}

/** A copy with another value at the path; `undefined` leaves the member out, as JSON does. */
function replaced(value: unknown, [key, ...rest]: Path, by: unknown): unknown {
  if (key === undefined) return by;
  const copy = structuredClone(value) as Record<string | number, unknown>;
  copy[key] = replaced(copy[key], rest, by);
  return JSON.parse(JSON.stringify(copy));
}

const foreign = oneof(
  constantFrom<unknown>(undefined, null, '', 'text', 0, 1.5, true, false, [], {}, ['x'], [{}], [null], {
    a: 1,
  }),
  jsonValue(),
);

function accepts(parse: (value: unknown) => unknown, value: unknown): boolean {
  try {
    parse(value);
    return true;
  } catch {
    return false;
  }
}

describe('the shape of a response', () => {
  it('is accepted with additional members', () => {
    expect(parseTokenResponse(session)).toBe(session);
    expect(parseUser(user)).toBe(user);
  });

  it.each([
    ['session', parseTokenResponse, sessionSchema, session],
    ['user', parseUser, userSchema, user],
  ] as const)('a %s is accepted or refused as by a schema library', (_name, parse, schema, valid) => {
    assert(
      property(
        constantFrom(...pathsOf(valid)),
        foreign,
        constantFrom(...pathsOf(valid)),
        (path, by, gone) => {
          for (const value of [replaced(valid, path, by), replaced(valid, gone, undefined)])
            expect(accepts(parse, value)).toBe(schema.safeParse(value).success);
        },
      ),
      { numRuns: propertyRuns(400, 2_000) },
    );
  });

  it.each([
    ['access_token', replaced(session, ['access_token'], undefined), 'body.access_token'],
    ['refresh_token', replaced(session, ['refresh_token'], ''), 'body.refresh_token'],
    ['user', replaced(session, ['user'], undefined), 'body.user'],
    ['user.id', replaced(session, ['user', 'id'], 7), 'body.user.id'],
    ['an identity', replaced(session, ['user', 'identities', 0], 'secret'), 'body.user.identities.0'],
  ])('is refused without %s, naming the path and not the value', (_name, value, place) => {
    expect(() => parseTokenResponse(value)).toThrow(new TypeError(`Unexpected ${place}`));
  });
});
