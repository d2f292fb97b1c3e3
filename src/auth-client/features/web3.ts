import type { AuthClient } from '../auth-client.ts';
import { encodeBase64Url } from '../../platform/base64url.ts';
import { captcha, token } from '../wire/endpoints.ts';
import { AuthError } from '../errors.ts';
import type { CallOptions } from '../wire/request.ts';
import { parseSession } from '../wire/responses.ts';
import type { Session } from '../session/session.ts';

/** Chains whose wallets can sign in. */
export type Web3Chain = 'ethereum' | 'solana';

/** A message and its signature by a wallet. */
export interface Web3Credentials {
  readonly chain: Web3Chain;
  /** The text that was signed, such as `createSignInMessage` makes. */
  readonly message: string;
  /** Bytes as the wallet gave them (65 for Ethereum, 64 for Solana), or their wire form. */
  readonly signature: Uint8Array | string;
  readonly captchaToken?: string | undefined;
}

/**
 * Signs in with a wallet's signature.
 *
 * @throws {AuthError} `web3_provider_disabled`, `oauth-error`, …
 * @example
 * ```ts
 * import { createSignInMessage, signInWithWeb3 } from 'supabase-protocol-clients/auth-client/web3';
 *
 * declare const wallet: { address: string; sign(text: string): Promise<Uint8Array> };
 *
 * const message = createSignInMessage({
 *   chain: 'ethereum',
 *   domain: location.host,
 *   address: wallet.address,
 *   uri: location.origin,
 *   issuedAtMs: Date.now(),
 * });
 * await signInWithWeb3(auth, { chain: 'ethereum', message, signature: await wallet.sign(message) });
 * ```
 */
export async function signInWithWeb3(
  { core }: AuthClient,
  { chain, message, signature, captchaToken }: Web3Credentials,
  options?: CallOptions,
): Promise<Session> {
  if (!message || signature.length === 0)
    throw new AuthError('invalid-argument', 'You must provide a message and its signature.');
  const body = { chain, message, signature: encodeSignature(chain, signature), ...captcha(captchaToken) };
  const reply = await core.send(token('web3', body), parseSession, options);
  return core.keeper.enter({ reply, as: 'SIGNED_IN', reason: 'call' });
}

/** The fields of the text that a wallet signs (EIP-4361). */
export interface SignInMessage {
  readonly chain: Web3Chain;
  /** Host (and port) that asks, such as `app.example.com`. */
  readonly domain: string;
  /** The account's address. */
  readonly address: string;
  readonly uri: string;
  /** `issued at`, in milliseconds since the epoch. */
  readonly issuedAtMs: number;
  /** What the wallet shows; one line. */
  readonly statement?: string | undefined;
  /** Default `1` (Ethereum's main net), `mainnet` (Solana). */
  readonly chainId?: string | undefined;
  readonly nonce?: string | undefined;
}

/** The text to sign: EIP-4361 for Ethereum, and Solana's form of it. */
export function createSignInMessage(fields: SignInMessage): string {
  const { chain, domain, address, uri, issuedAtMs, statement, nonce } = fields;
  const isEthereum = chain === 'ethereum';
  const { chainId = isEthereum ? '1' : 'mainnet' } = fields;
  return [
    `${domain} wants you to sign in with your ${isEthereum ? 'Ethereum' : 'Solana'} account:`,
    address,
    '',
    // EIP-4361 has two empty lines where there is no statement.
    ...(statement ? [statement, ''] : isEthereum ? [''] : []),
    `URI: ${uri}`,
    'Version: 1',
    `Chain ID: ${chainId}`,
    ...(nonce ? [`Nonce: ${nonce}`] : []),
    `Issued At: ${new Date(issuedAtMs).toISOString()}`,
  ].join('\n');
}

function encodeSignature(chain: Web3Chain, signature: Uint8Array | string): string {
  if (typeof signature === 'string') return signature;
  if (chain === 'solana') return encodeBase64Url(signature);
  return `0x${Array.from(signature, (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}
