import { secp256k1 } from '@noble/curves/secp256k1.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { bytesToHex, concatBytes, hexToBytes } from '@noble/hashes/utils.js';

import { encodeUtf8 } from '../../../platform/bytes.ts';

import type { SignedMessage } from './signed-message.ts';

/** The digest that wallets sign (EIP-191, version 0x45). */
export function hashPersonalMessage(message: string): Uint8Array {
  const bytes = encodeUtf8(message);
  return keccak_256(concatBytes(encodeUtf8(`\u0019Ethereum Signed Message:\n${bytes.length}`), bytes));
}

/** The address of an uncompressed public key (65 bytes). */
export const addressOfPublicKey = (publicKey: Uint8Array): string =>
  `0x${bytesToHex(keccak_256(publicKey.slice(1)).slice(-20))}`;

/** True when `signature` (0x, r, s, v) was made by the key of the message's address. */
export function isSignedByEthereum({ raw, address }: SignedMessage, signature: string): boolean {
  if (!/^0x[\da-f]{130}$/i.test(signature)) return false;
  const bytes = hexToBytes(signature.slice(2));
  const last = bytes[64] ?? 0;
  const recovery = last >= 27 ? last - 27 : last;
  try {
    const recovered = secp256k1.Signature.fromBytes(bytes.subarray(0, 64), 'compact')
      .addRecoveryBit(recovery)
      .recoverPublicKey(hashPersonalMessage(raw));
    return addressOfPublicKey(recovered.toBytes(false)) === address.toLowerCase();
  } catch {
    return false;
  }
}
