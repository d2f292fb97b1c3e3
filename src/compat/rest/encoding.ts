/** A select without the white space that is not in quotes. */
export const withoutSpaces = (columns: string): string =>
  columns
    .split('"')
    .map((part, index) => (index % 2 ? part : part.replaceAll(/\s/g, '')))
    .join('"');

/** Texts as an array literal, as the vendor's client writes them. */
export const encodeList = (values: readonly unknown[]): string => `{${values.join()}}`;

/** Values as the list of `in`: those with a reserved character are quoted. */
export const encodeItems = (values: readonly unknown[]): string => {
  const items = Array.from(new Set(values), (value) =>
    typeof value === 'string' && /[,()"\\]/.test(value)
      ? `"${value.replaceAll(/["\\]/g, String.raw`\$&`)}"`
      : String(value),
  );
  return `(${items.join()})`;
};

/** A range unchanged, an array as its literal, anything else as JSON. */
export function encodeContainment(value: string | readonly unknown[] | object): string {
  if (typeof value === 'string') return value;
  return Array.isArray(value) ? encodeList(value) : JSON.stringify(value);
}
