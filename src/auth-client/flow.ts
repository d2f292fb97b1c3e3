import type { AuthCore } from './core.ts';
import type { CodeChallenge } from './endpoints.ts';
import { challengeOf, createVerifier } from './pkce.ts';
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
