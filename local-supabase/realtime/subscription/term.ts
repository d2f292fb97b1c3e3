/** Writes a JSON value as the real server's language prints it, for the texts of its errors. */
export function inspectTerm(value: unknown): string {
  if (value === null || value === undefined) return 'nil';
  if (Array.isArray(value)) return `[${value.map(inspectTerm).join(', ')}]`;
  if (typeof value === 'object') {
    const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
    return `%{${entries.map(([key, item]) => `${JSON.stringify(key)} => ${inspectTerm(item)}`).join(', ')}}`;
  }
  return JSON.stringify(value);
}

/** As `inspectTerm`, but text stands as it is. */
export const printTerm = (value: unknown): string => (typeof value === 'string' ? value : inspectTerm(value));
