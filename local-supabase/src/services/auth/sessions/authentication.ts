import { type Call, readParam } from '../http/call.ts';
import type { AuthContext } from '../context.ts';
import { forbidden, unauthorized, badRequest } from '../http/errors.ts';
import { type Actor, adminActor } from '../rows/audit.ts';
import { isUuid, nilUuid } from '../rows/rows.ts';
import { checkSession, findSession, type Session } from '../rows/session.ts';
import { isBanned, type User } from '../rows/user.ts';
import { findUserById } from '../rows/users.ts';
import type { Claims } from '../../../keys/keys.ts';

/** The signed-in caller of a request. A token without a session was not issued by this service. */
export interface Caller {
  readonly claims: Claims;
  readonly user: User;
  readonly session: Session | null;
}

const adminRoles = new Set(['service_role', 'supabase_admin']);

function readBearer(call: Call): string {
  const [, token] = /^bearer (\S+)$/i.exec(readParam(call.request.headers, 'authorization')) ?? [];
  if (token === undefined)
    throw unauthorized('no_authorization', 'This endpoint requires a valid Bearer token');
  return token;
}

const badToken = (detail: string): Error =>
  forbidden('bad_jwt', `invalid JWT: unable to parse or verify signature, ${detail}`);

/** Reads and verifies the bearer token. Throws 401 no_authorization, 403 bad_jwt. */
async function readClaims(context: AuthContext, call: Call): Promise<Claims> {
  const token = readBearer(call);
  if (token === context.keys.secretKey) return { role: 'service_role' };
  const verified = await context.keys.verify(token, {
    mayBeFuture: ['iat'],
    ignoresLegacyKid: true,
    requiresKid: true,
  });
  if (verified.ok) return verified.claims;
  switch (verified.reason) {
    case 'expired':
      throw badToken('token has invalid claims: token is expired');
    case 'claims':
      throw badToken('token has invalid claims: token is not valid yet');
    case 'signature':
      throw badToken('token signature is invalid: signature is invalid');
    case 'malformed':
      throw badToken('token is malformed: token contains an invalid number of segments');
  }
}

/** Returns the id of the session that the token belongs to; undefined without one, which the nil id states, too. */
function sessionIdOf({ session_id: id }: Claims): string | undefined {
  return typeof id === 'string' && id !== '' && id !== nilUuid ? id : undefined;
}

async function loadCaller(context: AuthContext, claims: Claims): Promise<Caller> {
  const { database } = context;
  if (!claims.sub) throw forbidden('bad_jwt', 'invalid claim: missing sub claim');
  if (!isUuid(claims.sub)) throw badRequest('bad_jwt', 'invalid claim: sub claim must be a UUID');
  const user = await findUserById(database, claims.sub);
  if (user === undefined) throw forbidden('user_not_found', 'User from sub claim in JWT does not exist');
  const sessionId = sessionIdOf(claims);
  if (sessionId === undefined) return { claims, user, session: null };
  if (!isUuid(sessionId)) throw forbidden('bad_jwt', 'invalid claim: session_id claim must be a UUID');
  const session = await findSession(database, sessionId);
  if (session === undefined)
    throw forbidden('session_not_found', 'Session from session_id claim in JWT does not exist');
  return { claims, user, session };
}

/** Returns the signed-in caller. Throws 401 no_authorization; 403 bad_jwt, user_not_found, session_not_found, user_banned. */
export async function requireCaller(context: AuthContext, call: Call): Promise<Caller> {
  const caller = await loadCaller(context, await readClaims(context, call));
  if (isBanned(caller.user, context.now())) throw forbidden('user_banned', 'User is banned');
  return caller;
}

/** Returns the signed-in caller, who must not be anonymous. Throws as `requireCaller` does; 403 no_authorization. */
export async function requireNonAnonymousCaller(context: AuthContext, call: Call): Promise<Caller> {
  const caller = await requireCaller(context, call);
  if (caller.claims['is_anonymous'] === true)
    throw forbidden('no_authorization', 'Anonymous user not allowed to perform these actions');
  return caller;
}

/**
 * Requires the service key or a user with an administrator's role. Returns the actor for the audit log. Throws 403
 * not_admin.
 */
export async function requireAdmin(context: AuthContext, call: Call): Promise<Actor> {
  const claims = await readClaims(context, call);
  if (sessionIdOf(claims) !== undefined) {
    const { user, session } = await loadCaller(context, claims);
    const isOver = session && checkSession(session, user, context.settings, context.now(), null) !== 'valid';
    if (isOver) throw forbidden('session_expired', 'Session is no longer valid');
  }
  const role = claims.role ?? '';
  if (!adminRoles.has(role)) throw forbidden('not_admin', 'User not allowed');
  return adminActor(role);
}

/** True when the request has an administrator's token. */
export async function isAdmin(context: AuthContext, call: Call): Promise<boolean> {
  return requireAdmin(context, call).then(
    () => true,
    () => false,
  );
}

/** The audiences of a token: `aud` is a text, a list or absent (RFC 7519 section 4.1.3). */
export const audiencesOf = ({ aud = [] }: Pick<Claims, 'aud'>): readonly string[] => [aud].flat();

/** The audience of a request: from its header, else from its token, else the project's. */
export function audienceOf(context: AuthContext, call: Call, claims?: Claims): string {
  const fromHeader = call.request.headers.get('x-jwt-aud');
  if (fromHeader) return fromHeader;
  const [fromToken] = claims ? audiencesOf(claims) : [];
  return fromToken && !adminRoles.has(claims?.role ?? '') ? fromToken : context.settings.jwtAudience;
}
