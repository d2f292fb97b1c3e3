import { ed25519 } from '@noble/curves/ed25519.js';
import { concatBytes, hexToBytes } from '@noble/hashes/utils.js';

import { encodeUtf8, utf8Length } from '../../../platform/bytes.ts';

import type { SignedMessage } from './signed-message.ts';

const alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const longestLedgerMessage = 0xffff;

/** Decodes base58; null for a character outside the alphabet. */
export function decodeBase58(text: string): Uint8Array | null {
  let value = 0n;
  for (const char of text) {
    const digit = alphabet.indexOf(char);
    if (digit < 0) return null;
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
  const publicKey = decodeBase58(address);
  if (publicKey?.length !== 32) return false;
  const verifies = (message: Uint8Array): boolean => {
    try {
      return ed25519.verify(signature, message, publicKey);
    } catch {
      return false;
    }
  };
  if (verifies(encodeUtf8(raw))) return true;
  return utf8Length(raw) <= longestLedgerMessage && verifies(wrapForLedger(domain, publicKey, raw));
}
