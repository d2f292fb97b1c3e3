/** Sorts the members of objects by key, recursively. */
export function sortMembers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortMembers);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(members.map(([key, member]) => [key, sortMembers(member)]));
}

/** Whether two JSON values are equal, regardless of the order of members. */
export const isEqualJson = (left: unknown, right: unknown): boolean =>
  JSON.stringify(sortMembers(left)) === JSON.stringify(sortMembers(right));
