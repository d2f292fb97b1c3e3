import { ed25519 } from '@noble/curves/ed25519.js';
import type { AuditContext } from '../../audit/audit-context.ts';
import { NotRunError } from '../../target/target.ts';
import { at, type WireResponse } from '../../target/wire.ts';

const base58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

export const isoIn = (hours: number): string => new Date(Date.now() + hours * 3_600_000).toISOString();

function encodeBase58(bytes: Uint8Array): string {
  let number = BigInt(`0x${Buffer.from(bytes).toString('hex')}`);
  let text = '';
  for (; number > 0n; number /= 58n) text = base58.charAt(Number(number % 58n)) + text;
  for (const byte of bytes) {
    if (byte !== 0) break;
    text = `1${text}`;
  }
  return text;
}

export interface SignedMessage {
  readonly message: string;
  readonly signature: string;
}

/** A Solana wallet with its own key. */
export interface Wallet {
  readonly address: string;
  sign(message: string): SignedMessage;
  /** Signs the message in the envelope of Solana's off-chain messages, version 0. */
  signOnLedger(message: string, domain: string): SignedMessage;
}

function wrapForLedger(domain: string, publicKey: Uint8Array, message: string): Uint8Array {
  const body = Buffer.from(message);
  const length = Buffer.alloc(2);
  length.writeUInt16LE(body.length);
  return Buffer.concat([
    Buffer.from('\u00FFsolana offchain\0', 'latin1'),
    Buffer.from(domain.padEnd(32, '\0'), 'latin1'),
    Buffer.from([0, 1]),
    publicKey,
    length,
    body,
  ]);
}

export function newWallet(): Wallet {
  const secretKey = ed25519.utils.randomSecretKey();
  const publicKey = ed25519.getPublicKey(secretKey);
  const sign = (bytes: Uint8Array) => Buffer.from(ed25519.sign(bytes, secretKey)).toString('base64');
  return {
    address: encodeBase58(publicKey),
    sign: (message) => ({ message, signature: sign(Buffer.from(message)) }),
    signOnLedger: (message, domain) => ({
      message,
      signature: sign(wrapForLedger(domain, publicKey, message)),
    }),
  };
}

/** A Sign-In-With-Solana message: issued now for this site, unless `fields` differ. */
export function solanaMessage(
  { address }: Wallet,
  site: string,
  fields: Readonly<Record<string, string>> = {},
): string {
  const { host, origin } = new URL(site);
  const given = { Version: '1', URI: `${origin}/`, 'Issued At': isoIn(0), ...fields };
  const lines = Object.entries(given).map(([name, value]) => `${name}: ${value}`);
  return `${host} wants you to sign in with your Solana account:\n${address}\n\nAudit\n\n${lines.join('\n')}`;
}

/** A message that a new wallet signed. */
export function signedSolanaMessage(
  site: string,
  fields: Readonly<Record<string, string>> = {},
): SignedMessage {
  const wallet = newWallet();
  return wallet.sign(solanaMessage(wallet, site, fields));
}

/** The site of the target. @throws NotRunError if the service accepts no wallets there. */
export function walletSite({ target: { redirectTo } }: AuditContext): string {
  const { protocol, hostname } = new URL(redirectTo);
  if (protocol !== 'https:' && hostname !== 'localhost')
    throw new NotRunError('wallets sign in at https and at localhost only');
  return redirectTo;
}

/** Of a refused message: the service reads and verifies it before it compares the site with its own. */
export const anySite = 'https://example.com';

export const web3 = ({ auth }: AuditContext, body: object): Promise<WireResponse> =>
  auth.send('POST', '/token', { query: { grant_type: 'web3' }, body: { chain: 'solana', ...body } });

export const isDisabled = (response: WireResponse) => at(response.json, 'code') === 'web3_provider_disabled';

/** @throws NotRunError if one of the chains is disabled. */
export async function requireWeb3(context: AuditContext): Promise<void> {
  for (const chain of ['solana', 'ethereum'])
    if (isDisabled(await web3(context, { chain, message: '', signature: '' })))
      throw new NotRunError('web3 is disabled');
}
