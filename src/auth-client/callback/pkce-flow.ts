import { encodeBase64Url } from '../../platform/base64.ts';
import type { Platform } from '../../platform/platform.ts';
import type { AuthCore } from '../core.ts';
import { AuthError } from '../errors.ts';
import type { CodeChallenge } from '../wire/endpoints.ts';
import { addPendingFlow } from './pending-flows.ts';

/**
 * Begins a PKCE flow (RFC 7636) and stores its verifier before the challenge is sent.
 *
 * @throws {AuthError} `unsupported-runtime` where the platform has no random bytes.
 */
export async function startPkceFlow(
  { platform, pendingFlows }: Pick<AuthCore, 'platform' | 'pendingFlows'>,
  isRecovery = false,
): Promise<CodeChallenge> {
  const { verifier, challenge } = await createChallenge(platform);
  const id = Array.from(platform.random.bytes(16), (byte) => byte.toString(16).padStart(2, '0')).join('');
  await addPendingFlow(pendingFlows, { verifier, isRecovery }, id);
  return challenge;
}

/** 32 random bytes make a verifier of 43 characters (RFC 7636 §4.1); the method is S256 (§4.2). */
export async function createChallenge({ random, sha256 }: Pick<Platform, 'random' | 'sha256'>): Promise<{
  readonly verifier: string;
  readonly challenge: CodeChallenge;
}> {
  try {
    const verifier = encodeBase64Url(random.bytes(32));
    const digest = await sha256(new TextEncoder().encode(verifier));
    const challenge = { code_challenge: encodeBase64Url(digest), code_challenge_method: 's256' } as const;
    return { verifier, challenge };
  } catch (cause) {
    throw new AuthError('unsupported-runtime', 'PKCE needs crypto.getRandomValues and SHA-256', { cause });
  }
}
