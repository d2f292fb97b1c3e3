import type { Platform } from '../platform/platform.ts';
import { encodeBase64Url } from '../platform/base64url.ts';
import type { CodeChallenge } from './endpoints.ts';

/** RFC 7636 §4.1: 32 random bytes make a verifier of 43 characters. */
export function createVerifier({ bytes }: Platform['random']): string {
  return encodeBase64Url(bytes(32));
}

/** RFC 7636 §4.2, S256. */
export async function challengeOf(verifier: string, sha256: Platform['sha256']): Promise<CodeChallenge> {
  const digest = await sha256(new TextEncoder().encode(verifier));
  return { code_challenge: encodeBase64Url(digest), code_challenge_method: 's256' };
}
