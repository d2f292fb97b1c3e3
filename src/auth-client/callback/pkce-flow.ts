import { encodeBase64Url } from '../../platform/base64url.ts';
import type { Platform } from '../../platform/platform.ts';
import type { AuthCore } from '../core.ts';
import type { CodeChallenge } from '../wire/endpoints.ts';
import { addFlow } from './verifier-slots.ts';

/** Begins a PKCE flow: its verifier is stored before its challenge is given out. */
export async function beginFlow(
  { platform, slots }: Pick<AuthCore, 'platform' | 'slots'>,
  isRecovery = false,
): Promise<CodeChallenge> {
  const verifier = createVerifier(platform.random);
  const id = Array.from(platform.random.bytes(16), (byte) => byte.toString(16).padStart(2, '0')).join('');
  await addFlow(slots, { verifier, isRecovery }, id);
  return challengeOf(verifier, platform.sha256);
}

/** RFC 7636 §4.1: 32 random bytes make a verifier of 43 characters. */
function createVerifier({ bytes }: Platform['random']): string {
  return encodeBase64Url(bytes(32));
}

/** RFC 7636 §4.2, S256. */
async function challengeOf(verifier: string, sha256: Platform['sha256']): Promise<CodeChallenge> {
  const digest = await sha256(new TextEncoder().encode(verifier));
  return { code_challenge: encodeBase64Url(digest), code_challenge_method: 's256' };
}
