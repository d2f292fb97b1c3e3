/** Recognizes a key, such as the id of a broadcast, among the last `size` ones. */
export function createDuplicateFilter<Key extends string | number>(size = 512): (key: Key) => boolean {
  const seen = new Set<Key>();
  return (key) => {
    if (seen.has(key)) return true;
    seen.add(key);
    if (seen.size > size) for (const oldest of seen) return !seen.delete(oldest);
    return false;
  };
}
