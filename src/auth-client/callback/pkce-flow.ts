import { encodeBase64Url } from '../../platform/base64.ts';
import type { Platform } from '../../platform/platform.ts';
import type { AuthCore } from '../core.ts';
import { AuthError } from '../errors.ts';
import type { CodeChallenge } from '../wire/endpoints.ts';
import { addPendingFlow } from './pending-flows.ts';

/** A PKCE flow that has begun. */
export interface StartedFlow {
  readonly challenge: CodeChallenge;
  /** Names the stored verifier among those of other flows. */
  readonly flowId: string;
}

/**
 * Begins a PKCE flow (RFC 7636) and stores its verifier before the challenge is sent.
 *
 * @throws {AuthError} `unsupported-runtime` where the platform has no random bytes.
 */
export async function startIdentifiedFlow(
  { platform, pendingFlows }: Pick<AuthCore, 'platform' | 'pendingFlows'>,
  isRecovery = false,
): Promise<StartedFlow> {
  const { verifier, challenge } = await createChallenge(platform);
  const flowId = Array.from(platform.random.bytes(16), (byte) => byte.toString(16).padStart(2, '0')).join('');
  await addPendingFlow(pendingFlows, { verifier, isRecovery }, flowId);
  return { challenge, flowId };
}

/** Begins a PKCE flow for a caller that needs no id. @throws {AuthError} `unsupported-runtime` */
export async function startPkceFlow(
  core: Pick<AuthCore, 'platform' | 'pendingFlows'>,
  isRecovery = false,
): Promise<CodeChallenge> {
  return (await startIdentifiedFlow(core, isRecovery)).challenge;
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
    const message = 'PKCE needs crypto.getRandomValues, in React Native of react-native-get-random-values';
    throw new AuthError('unsupported-runtime', message, { cause });
  }
}
