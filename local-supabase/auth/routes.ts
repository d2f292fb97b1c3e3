import type { Call } from './call.ts';
import { checkCaptcha } from './captcha.ts';
import type { AuthContext } from './context.ts';
import { readHealth, readKeySet, readOpenIdConfiguration, readSettings } from './discovery.ts';
import { logout } from './logout.ts';
import { magicLink } from './magic-link.ts';
import { otp } from './otp.ts';
import { readOwnUser, updateOwnUser } from './own-user.ts';
import type { RateLimitName } from './rate-limiter.ts';
import { reauthenticate } from './reauthenticate.ts';
import { recover } from './recover.ts';
import { resend } from './resend.ts';
import { signUp } from './sign-up.ts';
import { token } from './token.ts';
import { verifyByLink, verifyByPost } from './verify.ts';

export type Handler = (context: AuthContext, call: Call) => Promise<Response>;

/** One path of the service. `:name` in the path is a parameter. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly handler: Handler;
}

const withCaptcha =
  (handler: Handler): Handler =>
  async (context, call) => {
    await checkCaptcha(context, call);
    return handler(context, call);
  };

const limited =
  (name: RateLimitName, handler: Handler): Handler =>
  async (context, call) => {
    context.limiter.count(name, call.ip);
    return handler(context, call);
  };

const guarded = (name: RateLimitName, handler: Handler): Handler => limited(name, withCaptcha(handler));

export const routes: readonly Route[] = [
  { method: 'GET', path: '/health', handler: readHealth },
  { method: 'GET', path: '/settings', handler: readSettings },
  { method: 'GET', path: '/.well-known/jwks.json', handler: readKeySet },
  { method: 'GET', path: '/.well-known/openid-configuration', handler: readOpenIdConfiguration },
  { method: 'POST', path: '/signup', handler: withCaptcha(signUp) },
  { method: 'POST', path: '/token', handler: withCaptcha(token) },
  { method: 'POST', path: '/otp', handler: guarded('otp', otp) },
  { method: 'POST', path: '/magiclink', handler: guarded('magiclink', magicLink) },
  { method: 'POST', path: '/recover', handler: guarded('recover', recover) },
  { method: 'POST', path: '/resend', handler: guarded('resend', resend) },
  { method: 'GET', path: '/verify', handler: limited('verify', verifyByLink) },
  { method: 'POST', path: '/verify', handler: limited('verify', verifyByPost) },
  { method: 'GET', path: '/user', handler: readOwnUser },
  { method: 'PUT', path: '/user', handler: updateOwnUser },
  { method: 'GET', path: '/reauthenticate', handler: reauthenticate },
  { method: 'POST', path: '/logout', handler: logout },
];
