import { parseEmail, parsePhone } from '../rows/address.ts';
import { audienceOf } from '../sessions/authentication.ts';
import { type Call, type JsonObject, readText, sendJson, sendRedirect, readParam } from '../http/call.ts';
import { inTransaction, nowDate, type AuthContext } from '../context.ts';
import { unexpectedMessage } from '../http/error-response.ts';
import { AuthHttpError, badRequest, internal, invalid, refuseNul, unprocessable } from '../http/errors.ts';
import { redirectWithError } from '../http/error-redirect.ts';
import { issueAuthCode } from '../rows/flow-state.ts';
import { hashCode, pkcePrefix } from '../rows/one-time-token.ts';
import { addToQuery, encodeParams, redirectTargetOf, setFragment } from '../http/redirect-url.ts';
import { signIn } from '../sessions/session-tokens.ts';
import { acceptProof, type Proof, verifyByCode, verifyByHash } from './verification.ts';

const halfConfirmed = 'Confirmation link accepted. Please proceed to confirm link sent to the other email';

function parseProof(body: JsonObject): Proof {
  const [type, token, tokenHash] = [
    readText(body, 'type'),
    readText(body, 'token'),
    readText(body, 'token_hash'),
  ];
  const [email, phone] = [readText(body, 'email'), readText(body, 'phone')];
  if (type === '') throw invalid('Verify requires a verification type');
  if ((token === '') === (tokenHash === '')) throw invalid('Verify requires either a token or a token hash');
  if (tokenHash !== '') {
    if (email !== '' || phone !== '' || readText(body, 'redirect_to') !== '')
      throw invalid('Only the token_hash and type should be provided');
    return { type, tokenHash, code: '', email: '', phone: '' };
  }
  if (phone !== '' && email === '') {
    const digits = parsePhone(phone);
    return { type, tokenHash: hashCode(digits, token), code: token, email: '', phone: digits };
  }
  if (email !== '' && phone === '') {
    const address = parseVerifiedEmail(email);
    return { type, tokenHash: hashCode(address, token), code: token, email: address, phone: '' };
  }
  throw invalid('Only an email address or phone number should be provided on verify');
}

function parseVerifiedEmail(email: string): string {
  try {
    return parseEmail(email);
  } catch {
    throw unprocessable('validation_failed', 'Invalid email format');
  }
}

/** POST /verify: `{type, token, email|phone}` or exactly `{type, token_hash}`; returns a session. */
export async function verifyByPost(context: AuthContext, call: Call): Promise<Response> {
  const proof = parseProof(await call.json());
  const tokens = await inTransaction(context, async (tx) => {
    const proven = await (proof.code === ''
      ? verifyByHash(context, tx, proof)
      : verifyByCode(context, tx, proof, audienceOf(context, call)));
    const user = await acceptProof(context, call, tx, proven, proof);
    return user && signIn(context, call, tx.sql, user, 'otp');
  });
  return sendJson(call, tokens ?? { msg: halfConfirmed, code: '200' });
}

function flowMethodOf(type: string): string {
  if (type.endsWith('signup')) return 'email/signup';
  if (['recovery', 'invite', 'magiclink', 'email_change'].includes(type)) return type;
  throw internal(unexpectedMessage);
}

type Opened = { readonly type: 'half' } | { readonly type: 'code'; readonly code: string } | TokensOpened;
interface TokensOpened {
  readonly type: 'tokens';
  readonly params: Readonly<Record<string, string>>;
}

async function openLink(context: AuthContext, call: Call, proof: Proof, isPkce: boolean): Promise<Opened> {
  const method = isPkce ? flowMethodOf(proof.type) : '';
  return inTransaction(context, async (tx) => {
    const user = await acceptProof(context, call, tx, await verifyByHash(context, tx, proof), proof);
    if (user === null) return { type: 'half' };
    if (isPkce) {
      const code = await issueAuthCode(tx.sql, nowDate(context), user.id, method);
      if (code !== undefined) return { type: 'code', code };
      const detail = '422: No valid flow state found for user.';
      throw badRequest('flow_state_not_found', `No associated flow state found. ${detail}`);
    }
    const { access_token, refresh_token, expires_in, expires_at, token_type } = await signIn(
      context,
      call,
      tx.sql,
      user,
      'otp',
    );
    const times = { expires_in: String(expires_in), expires_at: String(expires_at) };
    return {
      type: 'tokens',
      params: { access_token, refresh_token, token_type, ...times, sb: '', type: proof.type },
    };
  });
}

function redirectToPage(call: Call, target: string, opened: Opened, isPkce: boolean): Response {
  switch (opened.type) {
    case 'half': {
      const page = isPkce ? addToQuery(target, { message: halfConfirmed }) : target;
      return sendRedirect(call, setFragment(page, { message: halfConfirmed, sb: '' }));
    }
    case 'code':
      return sendRedirect(call, addToQuery(target, { code: opened.code }));
    case 'tokens':
      return sendRedirect(call, `${target}#${encodeParams(opened.params)}`);
  }
}

/** GET /verify: the link of a mail; always redirects, with tokens, a code, a message or an error. */
export async function verifyByLink(context: AuthContext, call: Call): Promise<Response> {
  const query = call.url.searchParams;
  const [type, token] = [readParam(query, 'type'), readParam(query, 'token')];
  if (type === '') throw invalid('Verify requires a verification type');
  if (token === '') throw invalid('Verify requires a token or a token hash');
  const target = redirectTargetOf(context, call);
  const isPkce = token.startsWith(pkcePrefix);
  try {
    const proof = { type, tokenHash: token, code: '', email: '', phone: '' };
    return redirectToPage(call, target, await openLink(context, call, proof, isPkce), isPkce);
  } catch (thrown) {
    const error = refuseNul(thrown);
    const isExpected = error instanceof AuthHttpError;
    if (!isExpected) context.report(error);
    const shown = isExpected ? error : internal(unexpectedMessage, error);
    return sendRedirect(call, redirectWithError(shown, target, isPkce));
  }
}
