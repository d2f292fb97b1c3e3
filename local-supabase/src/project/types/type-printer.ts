/** A TypeScript type, limited to the forms that database types need. */
export type TypeNode =
  | string
  | { readonly type: 'object'; readonly members: readonly Member[]; readonly isInline?: boolean }
  | { readonly type: 'union'; readonly of: readonly TypeNode[] }
  | { readonly type: 'array'; readonly of: TypeNode }
  | { readonly type: 'tuple'; readonly of: readonly TypeNode[] }
  | { readonly type: 'error'; readonly message: string };

export interface Member {
  readonly name: string;
  readonly isOptional?: boolean;
  readonly type: TypeNode;
}

export const object = (members: readonly Member[]): TypeNode => ({ type: 'object', members });
/** An object that stays on one line if it fits. */
export const inlineObject = (members: readonly Member[]): TypeNode => ({
  type: 'object',
  members,
  isInline: true,
});

/** A union without duplicates; a single alternative is returned itself. */
export const union = (of: readonly TypeNode[]): TypeNode =>
  of.length === 1 && of[0] !== undefined ? of[0] : { type: 'union', of };

const LINE_WIDTH = 80;

/** A string literal in double quotes, or in single ones if it then needs fewer escapes. */
export function quote(text: string): string {
  const json = JSON.stringify(text);
  const doubles = text.split('"').length;
  if (doubles <= text.split("'").length) return json;
  return `'${json
    .slice(1, -1)
    .replaceAll(String.raw`\"`, '"')
    .replaceAll("'", String.raw`\'`)}'`;
}

export const propertyName = (name: string): string =>
  /^[$_\p{L}][$_\p{L}\p{N}]*$/u.test(name) ? name : quote(name);

/**
 * Prints a type as Prettier does without semicolons, so that a file from `supabase gen types` does not change.
 *
 * @param indent the indentation of the type's first line.
 * @param column the column at which the type begins.
 */
export function printType(node: TypeNode, indent: number, column: number): string {
  const flat = flatten(node);
  if (flat !== null && column + flat.length <= LINE_WIDTH) return flat;
  if (typeof node === 'string') return node;
  const pad = ' '.repeat(indent);
  const inner = `${pad}  `;
  switch (node.type) {
    case 'object': {
      if (node.members.length === 0) return '{}';
      return `{\n${node.members.map((member) => printMember(member, indent + 2)).join('\n')}\n${pad}}`;
    }
    case 'error':
      return `{\n${inner}error: true\n${pad}} & ${quote(node.message)}`;
    case 'array':
      return isUnion(node.of)
        ? `(${printUnion(node.of.of, indent)}\n${pad})[]`
        : `${printType(node.of, indent, column)}[]`;
    case 'tuple':
      return `[\n${node.of.map((one) => `${inner}${printType(one, indent + 2, indent + 2)},`).join('\n')}\n${pad}]`;
    case 'union': {
      const [first, second] = node.of;
      // A nullable object type stays on one line.
      return node.of.length === 2 && first !== undefined && second === 'null' && isBroken(first)
        ? `${printType(first, indent, column)} | null`
        : printUnion(node.of, indent);
    }
  }
}

export function printMember({ name, isOptional, type }: Member, indent: number): string {
  const start = `${' '.repeat(indent)}${propertyName(name)}${isOptional ? '?' : ''}: `;
  const text = printType(type, indent, start.length);
  return (text.startsWith('\n') ? start.trimEnd() : start) + text;
}

function printUnion(of: readonly TypeNode[], indent: number): string {
  const start = `\n${' '.repeat(indent + 2)}| `;
  return of.map((one) => start + printType(one, indent + 4, indent + 4)).join('');
}

const isUnion = (node: TypeNode): node is Extract<TypeNode, { type: 'union' }> =>
  typeof node !== 'string' && node.type === 'union';
const isBroken = (node: TypeNode): boolean => flatten(node) === null;

/** The type on one line; null if a part must be broken. */
function flatten(node: TypeNode): string | null {
  if (typeof node === 'string') return node;
  const all = (nodes: readonly TypeNode[], separator: string) => {
    const texts = nodes.map(flatten);
    return texts.includes(null) ? null : texts.join(separator);
  };
  switch (node.type) {
    case 'error':
      return null;
    case 'union':
      return all(node.of, ' | ');
    case 'tuple': {
      const items = all(node.of, ', ');
      return items === null ? null : `[${items}]`;
    }
    case 'array': {
      const item = flatten(node.of);
      return item === null ? null : isUnion(node.of) ? `(${item})[]` : `${item}[]`;
    }
    case 'object': {
      if (node.members.length === 0) return '{}';
      const types = node.isInline ? node.members.map(({ type }) => flatten(type)) : [null];
      if (types.includes(null)) return null;
      const members = node.members.map(
        ({ name, isOptional }, at) => `${propertyName(name)}${isOptional ? '?' : ''}: ${types[at]}`,
      );
      return `{ ${members.join('; ')} }`;
    }
  }
}
