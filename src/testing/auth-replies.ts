import { encodeBase64Url } from '../platform/base64.ts';
import type { Clock } from '../platform/platform.ts';
import type { RecordedWire } from './recorded-wire.ts';

/** The user that a test is signed in as. */
export interface TestUser {
  /** Id of the user, a UUID in Supabase. Default: a fixed one. */
  readonly id?: string;
  /** Default: `ada@example.com`. */
  readonly email?: string;
  /** The user's own metadata. Default: none. */
  readonly userMetadata?: Readonly<Record<string, unknown>>;
}

const lifetimeSeconds = 3600;

/** Adds the auth service's routes to a script: tokens of any grant, the user, sign-out. Tokens have no signature. */
export function scriptAuth(wire: RecordedWire, clock: Clock, test: TestUser): void {
  const { id = '00000000-0000-4000-8000-000000000001', email = 'ada@example.com', userMetadata = {} } = test;
  const user = {
    id,
    email,
    aud: 'authenticated',
    role: 'authenticated',
    app_metadata: { provider: 'email', providers: ['email'] },
    user_metadata: userMetadata,
    identities: [],
    created_at: new Date(clock.now()).toISOString(),
  };
  let serial = 0;
  wire.on('POST /auth/v1/token', () => {
    serial += 1;
    const issuedAt = Math.floor(clock.now() / 1000);
    const expiresAt = issuedAt + lifetimeSeconds;
    const claims = { sub: id, role: 'authenticated', session_id: id, iat: issuedAt, exp: expiresAt, serial };
    return Response.json({
      access_token: `${encodeJson({ alg: 'none', typ: 'JWT' })}.${encodeJson(claims)}.unsigned`,
      refresh_token: `refresh-token-${serial}`,
      token_type: 'bearer',
      expires_in: lifetimeSeconds,
      expires_at: expiresAt,
      user,
    });
  });
  wire.on('GET /auth/v1/user', () => Response.json(user));
  wire.on('POST /auth/v1/logout', () => new Response(null, { status: 204 }));
}

const encodeJson = (value: object) => encodeBase64Url(new TextEncoder().encode(JSON.stringify(value)));
