import type { AuthClient } from '../auth-client.ts';
import { CallUser } from '../../platform/call-user.ts';
import type { Platform } from '../../platform/platform.ts';
import type { AuthCore } from '../core.ts';
import { AuthError } from '../errors.ts';
import type { CaptchaOption } from '../calls/sign-in.ts';
import { callAsUser } from '../calls/user-call.ts';
import type { Session } from '../session/session.ts';
import { requestInAutofill } from '../webauthn/autofill.ts';
import type { CredentialJson } from '../webauthn/credential-json.ts';
import { createUnusedChallenge, type RequestChallenge } from '../webauthn/unused-challenge.ts';
import {
  type WebAuthn,
  createCredential,
  readPageWebAuthn,
  requestCredential,
} from '../webauthn/web-authn.ts';
import { type Endpoint, captcha, encodeUuid, get, post } from '../wire/endpoints.ts';
import type { CallOptions } from '../wire/request.ts';
import { parseNoContent, parseTokenResponse } from '../wire/responses.ts';
import { listOf, nonEmptyString, nullish, number, object, record, string } from '../../platform/schema.ts';

export type { PublicKeyCredentialMethods } from '../webauthn/credential-json.ts';
export type { WebAuthn } from '../webauthn/web-authn.ts';

const parseChallenge = object({ challenge_id: nonEmptyString, options: record, expires_at: number });
const passkey = object({
  id: string,
  friendly_name: nullish(string),
  created_at: string,
  last_used_at: nullish(string),
});

/** Minimum remaining lifetime of a challenge to prompt with: a passkey on another device takes a while. */
const PROMPT_MS = 60_000;

/** The longest name that the server accepts, in bytes of UTF-8. */
const LONGEST_NAME_BYTES = 120;

/** GoTrue 2.196 reports a credential that is registered twice as a failure of its database. */
function toExistingCredential(problem: unknown): never {
  const isConflict =
    problem instanceof AuthError &&
    problem.status === 500 &&
    problem.message.includes('Database error creating passkey');
  if (!isConflict) throw problem;
  throw new AuthError('webauthn_credential_exists', 'This credential is already registered', {
    status: problem.status,
    serverCode: problem.serverCode,
    cause: problem,
  });
}

/** A passkey of the user. */
export interface Passkey {
  /** The passkey's id, a UUID; not the credential's. */
  readonly id: string;
  /** The name, initially that of the kind of authenticator; null if none. */
  readonly friendlyName: string | null;
  /** When it was registered, in milliseconds since the epoch. */
  readonly createdAtMs: number;
  /** When it last signed in, in milliseconds since the epoch; null if never. */
  readonly lastUsedAtMs: number | null;
}

/** The options of `signInWithPasskey`. */
export interface PasskeySignIn extends CaptchaOption {
  /**
   * `conditional`: among the autofill suggestions of an `<input autocomplete="username webauthn">`, without a prompt. The call
   * then waits until the person chooses a passkey, and renews the challenge before it expires; end it by `signal`. Default: a
   * prompt at once.
   */
  readonly mediation?: 'conditional' | undefined;
  /** Called when the person has chosen a passkey, before the server verifies it. What it throws is reported. Default: none. */
  readonly onChosen?: (() => void) | undefined;
}

/** A server's challenge for an authenticator. */
export interface PasskeyChallenge {
  /** The id of the challenge. */
  readonly challengeId: string;
  /** The options of `navigator.credentials`, in their JSON form (Web Authentication Level 3, section 5.1.10). */
  readonly options: Readonly<Record<string, unknown>>;
  /** When the challenge expires, in milliseconds since the epoch. */
  readonly expiresAtMs: number;
}

/** The response of an authenticator to a challenge. */
export interface PasskeyResponse {
  /** The id of the challenge. */
  readonly challengeId: string;
  /** The credential in its JSON form (`PublicKeyCredential.toJSON()`). */
  readonly credential: CredentialJson;
}

/** Options of `createPasskeys`. */
export interface PasskeysOptions {
  /** The Web Authentication API. Default: the page's own, looked up with each call. */
  readonly webAuthn?: WebAuthn | undefined;
  /**
   * `required`: prompts only authenticators that verify the person by a fingerprint, a face or a PIN. Set it where the
   * project refuses others. The two-step calls leave it to their caller. Default: the server's setting, `preferred`.
   */
  readonly userVerification?: 'required' | undefined;
}

/** Passkeys: sign-in without a password, and the passkeys of the signed-in user. Every call rejects with {@link AuthError} only. */
export interface Passkeys {
  /** Whether this page can use passkeys: the browser supports them and the page is secure (https or localhost). */
  isSupported(): boolean;
  /** Whether the browser can offer passkeys in a field's autofill. Never rejects. */
  isAutofillSupported(): Promise<boolean>;
  /**
   * Prompts for a new passkey on this device or another one, and registers it for the signed-in user. `timeoutMs` limits each
   * of the two requests; the server sets how long the prompt waits.
   *
   * @throws {AuthError} `unsupported-runtime`, `passkey-canceled`, `passkey-failed`, `missing-session`, `passkey_disabled`,
   *   `too_many_passkeys`, `insufficient_aal` (the user has a second factor, and the session is `aal1`),
   *   `webauthn_credential_exists` (the device already has one; `status` is null if the browser says so),
   *   `webauthn_challenge_expired`, `webauthn_verification_failed`, …
   */
  registerPasskey(options?: CallOptions): Promise<Passkey>;
  /**
   * Signs in with a passkey. The service gives the session `aal1` with the method `passkey`, even if the authenticator verified the
   * person: a user with a second factor still needs it, unless the project's database raises such sessions.
   *
   * A call ends an earlier one that waits for autofill, with `aborted`: a page can have one request at a time. It takes over the
   * challenge of an earlier call that no passkey responded to, while it is valid: the server limits challenges per network address.
   * `timeoutMs` limits each request to the server, not the time of the person.
   *
   * @throws {AuthError} `unsupported-runtime`, `passkey-canceled`, `passkey-failed`, `aborted`, `passkey_disabled`,
   * `webauthn_challenge_expired`, `webauthn_challenge_not_found`, `webauthn_verification_failed` (for a removed passkey too),
   * `email_not_confirmed`, `user_banned`, `captcha_failed`, …
   */
  signInWithPasskey(request?: PasskeySignIn, options?: CallOptions): Promise<Session>;
  /**
   * The first half of `registerPasskey`, for an authenticator that this page does not reach, such as that of a native
   * application.
   *
   * @throws {AuthError} as `registerPasskey`
   */
  startRegistration(options?: CallOptions): Promise<PasskeyChallenge>;
  /** The second half of `registerPasskey`: registers the new credential. @throws {AuthError} as `registerPasskey` */
  verifyRegistration(response: PasskeyResponse, options?: CallOptions): Promise<Passkey>;
  /** The first half of `signInWithPasskey`. @throws {AuthError} `passkey_disabled`, `captcha_failed`, … */
  startAuthentication(request?: CaptchaOption, options?: CallOptions): Promise<PasskeyChallenge>;
  /**
   * The second half of `signInWithPasskey`: signs in with the signed challenge. @throws {AuthError} as `signInWithPasskey`
   */
  verifyAuthentication(response: PasskeyResponse, options?: CallOptions): Promise<Session>;
  /** Returns the user's passkeys. @throws {AuthError} `missing-session`, `passkey_disabled`, … */
  listPasskeys(options?: CallOptions): Promise<readonly Passkey[]>;
  /**
   * Changes the name of a passkey.
   *
   * @throws {AuthError} `invalid-argument` if the name is empty or longer than 120 bytes of UTF-8; `validation_failed` with
   * `status` 404 if the user has no such passkey.
   */
  renamePasskey(
    request: { readonly passkeyId: string; readonly friendlyName: string },
    options?: CallOptions,
  ): Promise<Passkey>;
  /**
   * Removes a passkey from the account; the device keeps its part, which no longer signs in.
   *
   * @throws {AuthError} `insufficient_aal` as with `registerPasskey`; `validation_failed` with `status` 404 if the user has no
   * such passkey.
   */
  removePasskey(request: { readonly passkeyId: string }, options?: CallOptions): Promise<void>;
}

/**
 * Adds passkeys to a client. The project must have them enabled, with the page's host as relying party.
 *
 * @example
 * ```ts
 * import { createPasskeys } from 'supabase-protocol-clients/auth-client/passkeys';
 *
 * const passkeys = createPasskeys(auth);
 * if (passkeys.isSupported()) {
 *   const session = await passkeys.signInWithPasskey();
 *   console.log(session.user.email, (await passkeys.listPasskeys()).length);
 * }
 * ```
 */
export function createPasskeys({ core }: AuthClient, options: PasskeysOptions = {}): Passkeys {
  const requestChallenge: RequestChallenge<WireChallenge> = (captchaToken, call) =>
    core.send(post('/passkeys/authentication/options', captcha(captchaToken)), parseChallenge, call);
  const prompts = createPrompts(core.platform, options, requestChallenge);
  const passkeys: Passkeys = {
    ...createPasskeyList(core),
    isSupported: () => prompts.findWebAuthn() !== null,
    isAutofillSupported: () => isAutofillSupported(prompts.findWebAuthn()),
    async startRegistration(call) {
      const endpoint = post('/passkeys/registration/options', {});
      return toChallenge(await callAsUser(core, endpoint, parseChallenge, call));
    },
    verifyRegistration: (response, call) =>
      callAsUser(
        core,
        post('/passkeys/registration/verify', encodeResponse(response)),
        parsePasskey,
        call,
      ).catch(toExistingCredential),
    async registerPasskey({ user = new CallUser(), ...given } = {}) {
      const call = { ...given, user };
      const response = await prompts.register(() => passkeys.startRegistration(call), call.signal);
      return passkeys.verifyRegistration(response, call);
    },
    startAuthentication: async ({ captchaToken } = {}, call = {}) =>
      toChallenge(await requestChallenge(captchaToken, call)),
    async verifyAuthentication(passkey, call = {}) {
      const endpoint = post('/passkeys/authentication/verify', encodeResponse(passkey));
      const response = await core.send(endpoint, parseTokenResponse, call);
      return core.session.signIn({ response, name: 'SIGNED_IN', reason: 'call' });
    },
    async signInWithPasskey({ onChosen, ...request } = {}, call = {}) {
      const response = await prompts.request(request, call);
      try {
        onChosen?.();
      } catch (problem) {
        core.platform.report(problem);
      }
      return passkeys.verifyAuthentication(response, call);
    },
  };
  return passkeys;
}

function createPasskeyList(
  core: AuthCore,
): Pick<Passkeys, 'listPasskeys' | 'renamePasskey' | 'removePasskey'> {
  const pathOf = (passkeyId: string) => `/passkeys/${encodeUuid('passkeyId', passkeyId)}`;
  return {
    listPasskeys: (options) => callAsUser(core, get('/passkeys/'), parsePasskeys, options),
    async renamePasskey({ passkeyId, friendlyName }, options) {
      const bytes = new TextEncoder().encode(friendlyName).length;
      if (bytes === 0 || bytes > LONGEST_NAME_BYTES)
        throw new AuthError('invalid-argument', `A name has 1 to ${LONGEST_NAME_BYTES} bytes.`);
      const body = { friendly_name: friendlyName };
      const endpoint: Endpoint = { method: 'PATCH', path: pathOf(passkeyId), body };
      return callAsUser(core, endpoint, parsePasskey, options);
    },
    async removePasskey({ passkeyId }, options) {
      const endpoint: Endpoint = { method: 'DELETE', path: pathOf(passkeyId) };
      await callAsUser(core, endpoint, parseNoContent, options);
    },
  };
}

async function isAutofillSupported(webAuthn: WebAuthn | null): Promise<boolean> {
  try {
    return (await webAuthn?.publicKeyCredential.isConditionalMediationAvailable?.()) ?? false;
  } catch {
    return false;
  }
}

type WireChallenge = ReturnType<typeof parseChallenge>;

/** Prompts the page's authenticators. An offer in autofill ends with the next prompt. */
function createPrompts(
  platform: Platform,
  { webAuthn, userVerification }: PasskeysOptions,
  requestChallenge: RequestChallenge<WireChallenge>,
) {
  const verification = userVerification && { userVerification };
  const unused = createUnusedChallenge(
    platform.clock,
    ({ expires_at }) => expires_at * 1000,
    requestChallenge,
  );
  let endAutofill = () => {};
  const findWebAuthn = () => webAuthn ?? readPageWebAuthn();
  const begin = () => {
    const found = findWebAuthn();
    if (!found) throw new AuthError('unsupported-runtime', 'Web Authentication is missing here');
    endAutofill();
    return found;
  };
  const offerInAutofill = (
    found: WebAuthn,
    { mediation, captchaToken }: PasskeySignIn,
    options: CallOptions,
  ) => {
    const autofill = requestInAutofill(platform, options.signal, {
      takeChallenge: async (signal) => {
        // A browser without passkey autofill would prompt at once.
        if (!(await isAutofillSupported(found)))
          throw new AuthError('unsupported-runtime', 'The browser offers no passkeys in autofill');
        return unused.take(0, captchaToken, { ...options, signal });
      },
      requestCredential: (challenge, signal) =>
        requestCredential(found, { ...challenge.options, ...verification }, { mediation, signal }),
    });
    endAutofill = autofill.end;
    return autofill.response;
  };
  const prompt = async (found: WebAuthn, { captchaToken }: PasskeySignIn, options: CallOptions) => {
    const { challenge } = await unused.take(PROMPT_MS, captchaToken, options);
    const json = { ...challenge.options, ...verification };
    return { challenge, credential: await requestCredential(found, json, { signal: options.signal }) };
  };
  return {
    findWebAuthn,
    async register(start: () => Promise<PasskeyChallenge>, signal: AbortSignal | undefined) {
      const found = begin();
      const { challengeId, options } = await start();
      const selection = { ...Object(options['authenticatorSelection']), ...verification };
      const json = verification ? { ...options, authenticatorSelection: selection } : options;
      return { challengeId, credential: await createCredential(found, json, signal) };
    },
    async request(request: PasskeySignIn, options: CallOptions): Promise<PasskeyResponse> {
      const ask = request.mediation === 'conditional' ? offerInAutofill : prompt;
      const { challenge, credential } = await ask(begin(), request, options);
      unused.markUsed(challenge);
      return { challengeId: challenge.challenge_id, credential };
    },
  };
}

const encodeResponse = ({ challengeId, credential }: PasskeyResponse) => ({
  challenge_id: challengeId,
  credential,
});

const toChallenge = ({ challenge_id, options, expires_at }: WireChallenge): PasskeyChallenge => ({
  challengeId: challenge_id,
  options,
  expiresAtMs: expires_at * 1000,
});

/** Reads a list of passkeys as the server sends it. */
export function parsePasskeys(body: unknown): readonly Passkey[] {
  return listOf(passkey)(body).map(toPasskey);
}

function parsePasskey(body: unknown): Passkey {
  return toPasskey(passkey(body));
}

function toPasskey({ id, friendly_name, created_at, last_used_at }: ReturnType<typeof passkey>): Passkey {
  return {
    id,
    friendlyName: friendly_name || null,
    createdAtMs: readTime(created_at),
    lastUsedAtMs: last_used_at ? readTime(last_used_at) : null,
  };
}

function readTime(text: string): number {
  const time = Date.parse(text);
  if (Number.isNaN(time)) throw new TypeError('Unexpected time');
  return time;
}
