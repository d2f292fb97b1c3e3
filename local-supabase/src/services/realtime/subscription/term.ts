export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Prints a JSON value in Elixir's syntax, as in the real server's error messages. */
export function inspectTerm(value: unknown): string {
  if (value === null || value === undefined) return 'nil';
  if (value instanceof Tuple) return `{${value.items.map(inspectTerm).join(', ')}}`;
  if (Array.isArray(value)) return `[${value.map(inspectTerm).join(', ')}]`;
  if (typeof value === 'object') {
    const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
    return `%{${entries.map(([key, item]) => `${JSON.stringify(key)} => ${inspectTerm(item)}`).join(', ')}}`;
  }
  return JSON.stringify(value);
}

/** The real server's error where it reads a key of a value that has none, or null. */
export function accessError(value: unknown, key: string): string | null {
  if (Array.isArray(value))
    return `the Access module supports only keyword lists (with atom keys), got: ${inspectTerm(key)}\n\nIf you want to search lists of tuples, use List.keyfind/3`;
  return isRecord(value) ? null : 'no function clause matching in Access.get/3';
}

/** An Elixir tuple, which has no JSON form. */
export class Tuple {
  readonly items: readonly unknown[];
  constructor(...items: readonly unknown[]) {
    this.items = items;
  }
}

const LINE_WIDTH = 80;

/** Like `inspectTerm`, but broken into lines of 80 characters like the lists and tuples of Elixir's pretty printer. */
export function prettyTerm(value: unknown, indent = 0, trailing = 0): string {
  const line = inspectTerm(value);
  if (indent + line.length + trailing <= LINE_WIDTH) return line;
  if (value instanceof Tuple) return prettyItems(value.items, ['{', '}'], indent, trailing);
  if (Array.isArray(value)) return prettyItems(value, ['[', ']'], indent, trailing);
  return line;
}

const isContainer = (value: unknown): boolean => typeof value === 'object' && value !== null;

function prettyItems(
  items: readonly unknown[],
  [open, close]: readonly [string, string],
  indent: number,
  trailing: number,
): string {
  if (items.some(isContainer)) {
    const margin = ' '.repeat(indent + 2);
    const lines = items.map(
      (item, index) => margin + prettyTerm(item, indent + 2, index < items.length - 1 ? 1 : 0),
    );
    return `${open}\n${lines.join(',\n')}\n${' '.repeat(indent)}${close}`;
  }
  // Plain values fill a line and wrap to the next.
  const margin = ' '.repeat(indent + 1);
  let column = indent + 1;
  let text = open;
  for (const [index, item] of items.entries()) {
    const printed = inspectTerm(item);
    const after = index < items.length - 1 ? 1 : close.length + trailing;
    const isFirst = index === 0;
    const fits = column + (isFirst ? 0 : 2) + printed.length + after <= LINE_WIDTH;
    if (isFirst || fits) {
      text += isFirst ? printed : `, ${printed}`;
      column += printed.length + (isFirst ? 0 : 2);
    } else {
      text += `,\n${margin}${printed}`;
      column = indent + 1 + printed.length;
    }
  }
  return text + close;
}
