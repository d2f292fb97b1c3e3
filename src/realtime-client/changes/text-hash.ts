/**
 * A 53-bit hash of a text, of two FNV-1a-like hashes of 32 and 21 bits: two different changes collide about once in 10¹³
 * pairs.
 */
export function hashText(text: string): number {
  let high = 0x811c9dc5;
  let low = text.length;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    high = Math.imul(high ^ code, 0x01000193);
    low = Math.imul(low ^ code, 0x5bd1e995) ^ (low >>> 15);
  }
  return (high >>> 11) * 0x1_0000_0000 + (low >>> 0);
}
