import type { AuthClient } from '../auth-client.ts';
import { encodeBase64Url } from '../../platform/base64.ts';
import { captcha, token } from '../wire/endpoints.ts';
import { AuthError } from '../errors.ts';
import type { CallOptions } from '../wire/request.ts';
import { parseTokenResponse } from '../wire/responses.ts';
import type { Session } from '../session/session.ts';

/** Chains whose wallets can sign in. */
export type Web3Chain = 'ethereum' | 'solana';

/** A message and its signature by a wallet. */
export interface Web3Credentials {
  /** The chain of the wallet. */
  readonly chain: Web3Chain;
  /** The text that was signed, for example that of `createSignInMessage`. */
  readonly message: string;
  /** Bytes as the wallet returns them (65 for Ethereum, 64 for Solana), or their wire form: `0x` and hexadecimal, or base64url. */
  readonly signature: Uint8Array | string;
  /** The token of the captcha widget, where the project requires one. */
  readonly captchaToken?: string | undefined;
}

/** Sign-in with wallets. */
export interface Web3 {
  /**
   * Signs in with a wallet's signature.
   *
   * @throws {AuthError} `invalid-argument`, `web3_provider_disabled`, `oauth-error`, …
   */
  signInWithWeb3(credentials: Web3Credentials, options?: CallOptions): Promise<Session>;
}

/**
 * Adds sign-in with wallets to a client.
 *
 * @example
 * ```ts
 * import { createSignInMessage, createWeb3 } from 'supabase-protocol-clients/auth-client/external-sign-in';
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
 * const signature = await wallet.sign(message);
 * await createWeb3(auth).signInWithWeb3({ chain: 'ethereum', message, signature });
 * ```
 */
export function createWeb3({ core }: AuthClient): Web3 {
  return {
    async signInWithWeb3({ chain, message, signature, captchaToken }, options) {
      if (!message || signature.length === 0)
        throw new AuthError('invalid-argument', 'You must provide a message and its signature.');
      const body = { chain, message, signature: encodeSignature(chain, signature), ...captcha(captchaToken) };
      const response = await core.send(token('web3', body), parseTokenResponse, options);
      return core.session.signIn({ response, name: 'SIGNED_IN', reason: 'call' });
    },
  };
}

/** The fields of the text that a wallet signs (EIP-4361). */
export interface SignInMessage {
  /** The chain of the wallet. */
  readonly chain: Web3Chain;
  /** Host, and port if any, that requests the sign-in, such as `app.example.com`. */
  readonly domain: string;
  /** The account's address. */
  readonly address: string;
  /** The URL of the page that requests the sign-in. */
  readonly uri: string;
  /** When the message is made, in milliseconds since the epoch. The auth server accepts it for 10 minutes. */
  readonly issuedAtMs: number;
  /** A line that the wallet shows. Default: none. */
  readonly statement?: string | undefined;
  /** Default: Ethereum's main net `1`, or `solana:mainnet`. Solana's others: `solana:devnet`, `solana:testnet`, `solana:localnet`. */
  readonly chainId?: string | undefined;
  /** A value used once, against replay. Default: none. */
  readonly nonce?: string | undefined;
}

const defaultChainIds: Readonly<Record<Web3Chain, string>> = { ethereum: '1', solana: 'solana:mainnet' };

/** Returns the text that the wallet signs: EIP-4361 for Ethereum, and Solana's form of it. */
export function createSignInMessage(fields: SignInMessage): string {
  const { chain, domain, address, uri, issuedAtMs, statement, nonce } = fields;
  const { chainId = defaultChainIds[chain] } = fields;
  const isEthereum = chain === 'ethereum';
  // Without a statement EIP-4361 has two empty lines, and Solana's form has one.
  const withoutStatement = isEthereum ? [''] : [];
  return [
    `${domain} wants you to sign in with your ${isEthereum ? 'Ethereum' : 'Solana'} account:`,
    address,
    '',
    ...(statement ? [statement, ''] : withoutStatement),
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
