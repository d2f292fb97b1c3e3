/** Recognizes a key, such as the id of a broadcast, among the last `size` ones. */
export function createDuplicateFilter(size = 512): (key: string | number) => boolean {
  const seen = new Set<string | number>();
  return (key) => {
    if (seen.has(key)) return true;
    seen.add(key);
    if (seen.size > size) for (const oldest of seen) return !seen.delete(oldest);
    return false;
  };
}
