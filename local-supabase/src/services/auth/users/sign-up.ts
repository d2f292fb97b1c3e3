import { checkChannel, parseEmail, parsePhone } from '../rows/address.ts';
import { recordAudit } from '../rows/audit.ts';
import { audienceOf } from '../sessions/authentication.ts';
import { type Call, type JsonObject, readObject, readText, sendJson } from '../http/call.ts';
import { confirmEmail, confirmPhone, removeUnconfirmed } from './confirmation.ts';
import { inTransaction, nowDate, type AuthContext, type Transaction } from '../context.ts';
import { prepareUser } from '../hooks/before-user-created.ts';
import { badRequest, internal, invalid, unprocessable } from '../http/errors.ts';
import { type CodeChallenge, createFlowState, parseCodeChallenge } from '../rows/flow-state.ts';
import { createIdentity, encodeIdentity, findIdentity, ownIdentityData } from '../rows/identity.ts';
import { sendConfirmation } from '../mail/mail.ts';
import { checkPasswordStrength, hashPassword } from '../rows/password.ts';
import { signIn } from '../sessions/session-tokens.ts';
import { sendPhoneCode } from '../mail/text-message.ts';
import { encodeUser, type Metadata, type User } from '../rows/user.ts';
import { createUser, findUserByPhone, findOtherUserByEmail, loadUser } from '../rows/users.ts';

export interface SignUp {
  readonly provider: 'email' | 'phone';
  readonly email: string;
  readonly phone: string;
  readonly password: string;
  readonly data: Metadata;
  readonly channel: string;
  readonly codeChallenge: CodeChallenge | null;
}

const signUpsDisabled = (): Error =>
  unprocessable('signup_disabled', 'Signups not allowed for this instance');

/** Reads a sign-up. Throws WeakPasswordError; 400 validation_failed, email_provider_disabled, phone_provider_disabled. */
function parseSignUp(context: AuthContext, body: JsonObject): SignUp {
  const { settings } = context;
  const [email, phone, password] = [
    readText(body, 'email'),
    readText(body, 'phone'),
    readText(body, 'password'),
  ];
  const provider = email === '' ? 'phone' : 'email';
  const channel = readText(body, 'channel') || 'sms';
  if (password === '') throw invalid('Signup requires a valid password');
  checkPasswordStrength(settings, password);
  if (email !== '' && phone !== '')
    throw invalid('Only an email address or phone number should be provided on signup.');
  if (provider === 'phone') checkChannel(context, channel);
  const [challenge, method] = [readText(body, 'code_challenge'), readText(body, 'code_challenge_method')];
  if (phone !== '' && challenge !== '') throw invalid('PKCE not supported for phone signups');
  const codeChallenge = parseCodeChallenge(challenge, method);
  if (provider === 'email' && !settings.emailEnabled)
    throw badRequest('email_provider_disabled', 'Email signups are disabled');
  if (provider === 'phone' && !settings.phoneEnabled)
    throw badRequest('phone_provider_disabled', 'Phone signups are disabled');
  return {
    provider,
    email: email && parseEmail(email),
    phone: phone && parsePhone(phone),
    password,
    data: { ...readObject(body, 'data') },
    channel,
    codeChallenge,
  };
}

const isConfirmed = (user: User, provider: SignUp['provider']): boolean =>
  (provider === 'email' ? user.email_confirmed_at : user.phone_confirmed_at) !== null;

async function ensureIdentity(tx: Transaction, now: Date, user: User, wanted: SignUp): Promise<User> {
  if ((await findIdentity(tx.sql, user.id, wanted.provider)) !== undefined) return user;
  const own = ownIdentityData(user.id, wanted.provider === 'email' ? { email: user.email ?? '' } : {});
  const identity = await createIdentity(tx.sql, now, user.id, wanted.provider, { ...wanted.data, ...own });
  const current = await loadUser(tx.sql, user.id);
  return removeUnconfirmed(tx.sql, now, current, identity);
}

async function confirmOrAsk(
  context: AuthContext,
  call: Call,
  tx: Transaction,
  user: User,
  wanted: SignUp,
): Promise<User> {
  const now = nowDate(context);
  const { provider, channel } = wanted;
  const { mailerAutoconfirm, phoneAutoconfirm } = context.settings;
  const isConfirmedAtOnce = provider === 'phone' ? phoneAutoconfirm : mailerAutoconfirm;
  const traits = { provider, ...(isConfirmedAtOnce && provider === 'phone' && { channel }) };
  const action = isConfirmedAtOnce ? 'user_signedup' : 'user_confirmation_requested';
  await recordAudit(context, tx.sql, user, action, { traits });
  if (provider === 'phone') {
    if (phoneAutoconfirm) return confirmPhone(tx.sql, now, user);
    await sendPhoneCode(context, call, tx, user, wanted.phone, 'confirmation', channel);
    return loadUser(tx.sql, user.id);
  }
  if (mailerAutoconfirm) return confirmEmail(tx.sql, now, user);
  const { codeChallenge } = wanted;
  if (codeChallenge !== null)
    await createFlowState(tx.sql, now, {
      provider: 'email',
      method: 'email/signup',
      codeChallenge,
      userId: user.id,
    });
  return sendConfirmation(context, call, tx, user, codeChallenge === null ? 'implicit' : 'pkce');
}

/** Creates the account, or finds the unconfirmed one. Null when a confirmed account has the address. */
async function register(context: AuthContext, call: Call, wanted: SignUp): Promise<User | null> {
  const aud = audienceOf(context, call);
  const { database } = context;
  // As in GoTrue, the lookup precedes the transaction, so that concurrent sign-ups fail on the insert.
  const existing = await (wanted.provider === 'email'
    ? findOtherUserByEmail(database, wanted.email, aud)
    : findUserByPhone(database, wanted.phone, aud));
  if (existing !== undefined && isConfirmed(existing, wanted.provider)) {
    const traits = { provider: wanted.provider };
    await recordAudit(context, database, existing, 'user_repeated_signup', { traits });
    return null;
  }
  const passwordHash = await hashPassword(context.settings, wanted.password);
  const { email, phone, provider, data } = wanted;
  const appMetadata = { provider, providers: [provider] };
  const newUser = { aud, email, phone, passwordHash, userMetadata: data, appMetadata };
  const prepared = existing === undefined ? await prepareUser(context, call, newUser) : newUser;
  return inTransaction(context, async (tx) => {
    const now = nowDate(context);
    const user = existing ?? (await createUser(tx.sql, now, prepared));
    return confirmOrAsk(context, call, tx, await ensureIdentity(tx, now, user, wanted), wanted);
  });
}

/** A fake user: the response must not reveal that the address is taken. */
function createFakeUser(context: AuthContext, call: Call, wanted: SignUp): Metadata {
  const now = nowDate(context);
  return {
    id: crypto.randomUUID(),
    aud: audienceOf(context, call),
    role: '',
    email: wanted.email,
    phone: wanted.phone,
    confirmation_sent_at: now,
    app_metadata: { provider: wanted.provider, providers: [wanted.provider] },
    user_metadata: wanted.data,
    identities: [],
    created_at: now,
    updated_at: now,
    is_anonymous: false,
  };
}

/** Signs up `wanted`. Returns a session if it is confirmed at once, else the user; for a taken address a fake user. */
export async function signUpWith(context: AuthContext, call: Call, wanted: SignUp): Promise<Response> {
  if (context.settings.disableSignup) throw signUpsDisabled();
  const user = await register(context, call, wanted);
  const { mailerAutoconfirm, phoneAutoconfirm } = context.settings;
  if (user === null) {
    if (mailerAutoconfirm || phoneAutoconfirm)
      throw unprocessable('user_already_exists', 'User already registered');
    return sendJson(call, createFakeUser(context, call, wanted));
  }
  if (user.confirmed_at !== null) {
    const tokens = await inTransaction(context, async ({ sql }) => {
      await recordAudit(context, sql, user, 'login', { traits: { provider: wanted.provider } });
      return signIn(context, call, sql, user, 'password');
    });
    return sendJson(call, { ...tokens, user: encodeNewUser(tokens.user, user, wanted.provider) });
  }
  const isInvited = user.invited_at !== null;
  return sendJson(call, encodeUser(isInvited ? { ...user, raw_user_meta_data: {}, identities: [] } : user));
}

/**
 * Encodes an automatically confirmed user as GoTrue does: without the generated column `confirmed_at`, and with a
 * verified email in the identity, although the stored identity is unverified.
 */
function encodeNewUser(encoded: Metadata, user: User, provider: SignUp['provider']): Metadata {
  const { confirmed_at: _, ...rest } = encoded;
  const identities = user.identities.map((identity) =>
    encodeIdentity(
      provider === 'email' && identity.provider === 'email'
        ? { ...identity, identity_data: { ...identity.identity_data, email_verified: true } }
        : identity,
    ),
  );
  return { ...rest, identities };
}

async function signUpAnonymously(context: AuthContext, call: Call, body: JsonObject): Promise<Response> {
  if (context.settings.disableSignup) throw signUpsDisabled();
  const aud = audienceOf(context, call);
  const userMetadata = { ...readObject(body, 'data') };
  const wanted = { aud, userMetadata, appMetadata: {}, isAnonymous: true };
  const prepared = await prepareUser(context, call, wanted);
  const tokens = await inTransaction(context, async ({ sql }) => {
    const user = await createUser(sql, nowDate(context), prepared);
    return signIn(context, call, sql, user, 'anonymous');
  }).catch((cause: unknown) => {
    throw internal('Database error creating anonymous user', cause);
  });
  return sendJson(call, tokens);
}

/** POST /signup: by email, by phone, or anonymously. */
export async function signUp(context: AuthContext, call: Call): Promise<Response> {
  const body = await call.json();
  if (readText(body, 'email') === '' && readText(body, 'phone') === '') {
    if (!context.settings.anonymousEnabled)
      throw unprocessable('anonymous_provider_disabled', 'Anonymous sign-ins are disabled');
    context.limiter.count('anonymous', call.ip);
    return signUpAnonymously(context, call, body);
  }
  context.limiter.count('signup', call.ip);
  if (context.settings.disableSignup) throw signUpsDisabled();
  return signUpWith(context, call, parseSignUp(context, body));
}
