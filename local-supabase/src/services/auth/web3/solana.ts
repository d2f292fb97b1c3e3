import { ed25519 } from '@noble/curves/ed25519.js';
import { concatBytes, hexToBytes } from '@noble/hashes/utils.js';

import { encodeUtf8, utf8Length } from '../../../platform/bytes.ts';

import type { SignedMessage } from './signed-message.ts';

const alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const longestLedgerMessage = 0xffff;

/** Decodes base58. Throws an `Error` for a character outside the alphabet: as a digit, it would give another text's key. */
export function decodeBase58(text: string): Uint8Array {
  let value = 0n;
  for (const char of text) {
    const digit = alphabet.indexOf(char);
    if (digit < 0) throw new Error(`Base58 has no ${char}`);
    value = value * 58n + BigInt(digit);
  }
  const hex = value === 0n ? '' : value.toString(16);
  const zeros = /^1*/.exec(text)?.[0].length ?? 0;
  return concatBytes(new Uint8Array(zeros), hexToBytes(hex.padStart(hex.length + (hex.length % 2), '0')));
}

/** The envelope in which Ledger devices sign a message off-chain. */
export function wrapForLedger(domain: string, publicKey: Uint8Array, message: string): Uint8Array {
  const body = encodeUtf8(message);
  const paddedDomain = new Uint8Array(32);
  new TextEncoder().encodeInto(domain, paddedDomain);
  const length = Uint8Array.of(body.length & 0xff, body.length >> 8);
  const magic = concatBytes(Uint8Array.of(0xff), encodeUtf8('solana offchain'), Uint8Array.of(0));
  return concatBytes(magic, paddedDomain, Uint8Array.of(0, 1), publicKey, length, body);
}

/** True when `signature` (64 bytes) was made by the key that is the message's address, directly or on a Ledger. */
export function isSignedBySolana({ raw, address, domain }: SignedMessage, signature: Uint8Array): boolean {
  try {
    const publicKey = decodeBase58(address);
    if (ed25519.verify(signature, encodeUtf8(raw), publicKey)) return true;
    if (utf8Length(raw) > longestLedgerMessage) return false;
    return ed25519.verify(signature, wrapForLedger(domain, publicKey, raw), publicKey);
  } catch {
    // The address is no key, or the signature is no point of the curve.
    return false;
  }
}
