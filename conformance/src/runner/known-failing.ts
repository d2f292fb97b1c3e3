/**
 * Parses a list of known failures: one `ID reason…` per line; `#` begins a comment.
 *
 * @throws {Error} for a line without a reason.
 */
export function parseKnownFailing(text: string): ReadonlyMap<string, string> {
  const known = new Map<string, string>();
  for (const line of text.split('\n')) {
    const entry = line.replace(/#.*/, '').trim();
    if (entry === '') continue;
    const [, id, reason] = /^(\S+)\s+(.+)$/.exec(entry) ?? [];
    if (id === undefined || reason === undefined)
      throw new Error(`A known failure needs an id and a reason: ${entry}`);
    known.set(id, reason);
  }
  return known;
}
