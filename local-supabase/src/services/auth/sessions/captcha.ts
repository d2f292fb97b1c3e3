import { isAdmin } from './authentication.ts';
import { type Call, readObject, readText, readParam } from '../http/call.ts';
import type { AuthContext } from '../context.ts';
import { badRequest } from '../http/errors.ts';

const freeGrants = new Set(['pkce', 'refresh_token', 'id_token']);
/** Only POST /token has grants; other routes ignore `grant_type`. */
const isFreeGrant = ({ pathname, searchParams }: URL): boolean =>
  pathname === '/auth/v1/token' && freeGrants.has(readParam(searchParams, 'grant_type'));
const refused = (why: string): Error =>
  badRequest('captcha_failed', `captcha protection: request disallowed (${why})`);

/** Requires the project's test token in `gotrue_meta_security.captcha_token`. Throws 400 captcha_failed. */
export async function checkCaptcha(context: AuthContext, call: Call): Promise<void> {
  const { captchaToken } = context.settings;
  if (captchaToken === null) return;
  if (isFreeGrant(call.url)) return;
  if (await isAdmin(context, call)) return;
  const security = readObject(await call.json(), 'gotrue_meta_security') ?? {};
  const token = readText(security, 'captcha_token').trim();
  if (token === '') throw refused('no captcha_token found');
  if (token !== captchaToken) throw refused('invalid-input-response');
}
