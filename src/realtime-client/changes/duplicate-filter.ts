/** Recognizes keys, such as ids of broadcasts, among the last `size` ones, or up to twice as many. */
export function createDuplicateFilter(size = 512): (key: string | number) => boolean {
  let newer = new Set<string | number>();
  let older = newer;
  return (key) => {
    if (newer.has(key) || older.has(key)) return true;
    if (newer.size >= size) {
      older = newer;
      newer = new Set();
    }
    newer.add(key);
    return false;
  };
}
