/**
 * Recognizes a text among the last `size` ones, because a restarted server may resend changes. It stores 53-bit hashes
 * instead of texts: two different changes collide about once in 10¹³ pairs.
 */
export function createDuplicateFilter(size = 512): (text: string) => boolean {
  const seen = new Set<number>();
  return (text) => {
    const hash = hash53(text);
    if (seen.has(hash)) return true;
    seen.add(hash);
    if (seen.size > size) for (const oldest of seen) return !seen.delete(oldest);
    return false;
  };
}

/** Combines two FNV-1a-like hashes of 32 and 21 bits. */
function hash53(text: string): number {
  let high = 0x811c9dc5;
  let low = text.length;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    high = Math.imul(high ^ code, 0x01000193);
    low = Math.imul(low ^ code, 0x5bd1e995) ^ (low >>> 15);
  }
  return (high >>> 11) * 0x1_0000_0000 + (low >>> 0);
}
