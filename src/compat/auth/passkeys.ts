import {
  createPasskeys,
  type Passkey,
  type PasskeyResponse,
  type PasskeyChallenge,
} from '../../auth-client/features/passkeys.ts';
import type { AuthClient } from '../../auth-client/index.ts';
import type { Settle } from '../outcome.ts';
import type { AuthError } from './auth-error.ts';
import { requireSession } from './session.ts';

/** A passkey in the service's own form. */
export const toPasskeyItem = ({ id, friendlyName, createdAtMs, lastUsedAtMs }: Passkey) => ({
  id,
  created_at: new Date(createdAtMs).toISOString(),
  ...(friendlyName !== null && { friendly_name: friendlyName }),
  ...(lastUsedAtMs !== null && { last_used_at: new Date(lastUsedAtMs).toISOString() }),
});

const toChallenge = ({ challengeId, options, expiresAtMs }: PasskeyChallenge) => ({
  challenge_id: challengeId,
  options,
  expires_at: expiresAtMs / 1000,
});

/** Passkeys in two steps and their administration, in the vendor's form. */
export function createPasskeyMethods(auth: AuthClient, settle: Settle<AuthError>) {
  const passkeys = createPasskeys(auth);
  return {
    startRegistration: () => settle(async () => toChallenge(await passkeys.startRegistration())),
    verifyRegistration: (response: PasskeyResponse) =>
      settle(async () => toPasskeyItem(await passkeys.verifyRegistration(response))),
    startAuthentication: ({ options }: { options?: { captchaToken?: string } } = {}) =>
      settle(async () => toChallenge(await passkeys.startAuthentication(options))),
    verifyAuthentication: (response: PasskeyResponse) =>
      settle(async () => {
        await passkeys.verifyAuthentication(response);
        const session = requireSession(auth);
        return { session, user: session.user };
      }),
    list: () => settle(async () => (await passkeys.listPasskeys()).map(toPasskeyItem)),
    update: (request: { passkeyId: string; friendlyName: string }) =>
      settle(async () => toPasskeyItem(await passkeys.renamePasskey(request))),
    delete: (request: { passkeyId: string }) =>
      settle(async () => {
        await passkeys.removePasskey(request);
        return null;
      }),
  };
}
