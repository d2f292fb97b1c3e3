import { decodeJwt, SignJWT } from 'jose';
import * as z from 'zod/mini';
import { table } from '../../../src/rest-client/table.ts';
import { type Call, failing } from './call.ts';

/** The secret that signs the older tokens of the embedded service, as of every local Supabase. */
const legacySecret = new TextEncoder().encode('super-secret-jwt-token-with-at-least-32-characters-long');
const signExpiredToken = (sub: string) =>
  new SignJWT({ sub, role: 'authenticated' })
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
    .setExpirationTime(1_700_000_000)
    .sign(legacySecret);

/** Calls as a user, and what PostgREST 14.17 returned. */
export const accessCalls: readonly Call[] = [
  ['user RLS', ({ connectAs, signInAda }) => connectAs(signInAda).from('z_secret').select('id'), [{ id: 1 }]],
  [
    'user RLS insert',
    ({ connectAs, signInAda }) => connectAs(signInAda).from('z_secret').insert({ id: 9, owner: 'other' }),
    failing('denied', '42501'),
  ],
  [
    'user columns',
    ({ connectAs, signInAda }) => connectAs(signInAda).from('z_cols').select('b'),
    failing('denied', '42501'),
  ],
  [
    'bad token',
    ({ connectAs }) =>
      connectAs(async () => 'nonsense')
        .from('z_cats')
        .select(),
    failing('unauthenticated', 'PGRST301'),
  ],
  [
    'expired token, then fresh',
    async ({ connectAs, signInAda }) => {
      const fresh = (await signInAda()) ?? '';
      const expired = await signExpiredToken(decodeJwt(fresh).sub ?? '');
      let readCount = 0;
      const client = connectAs(async (options) => {
        readCount += 1;
        return options?.rejectedToken === expired ? fresh : expired;
      });
      return [await client.from('z_secret').select('id'), readCount];
    },
    [[{ id: 1 }], 2],
  ],
  [
    'table invalid row',
    ({ rest }) =>
      rest
        .from(table('z_cats', { columns: { id: z.string() } }))
        .select('id')
        .limit(1),
    failing('invalid-row', null),
  ],
  [
    'schema not exposed',
    ({ rest }) => rest.schema('z_hidden').from('t').select(),
    failing('invalid-request', 'PGRST106'),
  ],
];
