import { encodeBase64Url } from '../../platform/base64.ts';
import type { Platform } from '../../platform/platform.ts';
import type { AuthCore } from '../core.ts';
import { AuthError, type AuthErrorCode } from '../errors.ts';
import type { CodeChallenge } from '../wire/endpoints.ts';
import { addPendingFlow, createFlowId, type FlowKind, removePendingFlow } from './pending-flows.ts';

export interface StartedFlow {
  readonly challenge: CodeChallenge;
  /** Names the stored verifier among those of other flows. */
  readonly flowId: string;
  /** Removes the flow if no link and no redirect can finish it. */
  end(): Promise<void>;
}

type FlowParts = Pick<AuthCore, 'platform' | 'pendingFlows'>;

/**
 * Begins a PKCE flow (RFC 7636) and stores its verifier before the challenge is sent.
 *
 * @throws {AuthError} `unsupported-runtime` where the platform has no random bytes.
 */
export async function startPkceFlow(
  { platform, pendingFlows }: FlowParts,
  kind: FlowKind,
  isRecovery = false,
): Promise<StartedFlow> {
  const { verifier, challenge } = await createChallenge(platform);
  const flowId = createFlowId({ platform }, kind);
  await addPendingFlow(pendingFlows, { verifier, isRecovery }, flowId);
  return { challenge, flowId, end: () => removePendingFlow(pendingFlows, verifier) };
}

/**
 * Sends the request that begins a PKCE flow. A refusal ends the flow. After a failure without a response the flow stays,
 * because the server may have sent the message.
 */
export async function sendWithFlow<T>(flow: StartedFlow | null, send: () => Promise<T>): Promise<T> {
  try {
    return await send();
  } catch (problem) {
    if (!mayHaveArrived(problem)) await flow?.end();
    throw problem;
  }
}

function mayHaveArrived(problem: unknown): boolean {
  if (!(problem instanceof AuthError)) return false;
  const { code, status } = problem;
  return status === null ? sentCodes.has(code) : status >= 500;
}

const sentCodes: ReadonlySet<AuthErrorCode> = new Set(['network', 'timeout', 'aborted']);

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
