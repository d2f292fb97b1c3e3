import { parse } from 'smol-toml';

/** Reads `supabase/config.toml` and tracks which settings were read, so that the others can be reported. */
export interface ConfigReader {
  boolean(path: string): boolean | undefined;
  number(path: string): number | undefined;
  text(path: string): string | undefined;
  texts(path: string): readonly string[] | undefined;
  /** A duration as Go writes it (`1m30s`), in seconds. */
  seconds(path: string): number | undefined;
  /** A size such as `50MiB`, in bytes; also a plain number. */
  bytes(path: string): number | undefined;
  /** Marks a setting as read if its value is not needed. */
  touch(path: string): void;
  /** The names of the values below `path`. */
  keys(path: string): readonly string[];
  /** The names of the tables below `path`. */
  tables(path: string): readonly string[];
  /** The settings that were not read. */
  unread(): readonly string[];
  /** The settings that were read and name a variable without a value. */
  unset(): readonly { readonly path: string; readonly name: string }[];
}

interface TypeNames {
  readonly boolean: boolean;
  readonly number: number;
  readonly string: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

export const fileName = 'supabase/config.toml';
const isTable = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);

/**
 * @param environment the values of `env(NAME)`; missing ones are empty.
 * @throws {Error} for invalid TOML; the methods throw, naming the key, for a value of another type.
 */
export function createConfigReader(text: string, environment: Environment): ConfigReader {
  const config = parse(text);
  const read = new Set<string>();
  const valueAt = (path: string): unknown =>
    path.split('.').reduce<unknown>((value, name) => (isTable(value) ? value[name] : undefined), config);
  const tableAt = (path: string): Readonly<Record<string, unknown>> => {
    const value = valueAt(path);
    return isTable(value) ? value : {};
  };
  const find = (path: string): unknown => {
    read.add(path);
    const found = valueAt(path);
    return typeof found === 'string' ? substitute(found, environment) : found;
  };
  const typed = <K extends keyof TypeNames>(path: string, type: K): TypeNames[K] | undefined => {
    const value = find(path);
    if (value === undefined) return undefined;
    if (typeof value !== type) throw new Error(`${fileName}: ${path} must be a ${type}`);
    return value as TypeNames[K];
  };
  return {
    boolean: (path) => typed(path, 'boolean'),
    number: (path) => typed(path, 'number'),
    text: (path) => typed(path, 'string'),
    texts(path) {
      const value = find(path);
      if (value === undefined) return undefined;
      if (!Array.isArray(value) || !value.every((item) => typeof item === 'string'))
        throw new Error(`${fileName}: ${path} must be a list of strings`);
      return value.map((item) => substitute(item, environment));
    },
    seconds(path) {
      const value = typed(path, 'string');
      return value === undefined ? undefined : parseDuration(value);
    },
    bytes(path) {
      const value = find(path);
      if (value === undefined || typeof value === 'number') return value;
      if (typeof value === 'string') return parseSize(value);
      throw new Error(`${fileName}: ${path} must be a size`);
    },
    touch: (path) => void read.add(path),
    keys: (path) => Object.keys(tableAt(path)),
    tables: (path) =>
      Object.entries(tableAt(path)).flatMap(([name, value]) => (isTable(value) ? [name] : [])),
    unset: () =>
      [...read].flatMap((path) => {
        const value = valueAt(path);
        const name = [value]
          .flat()
          .map(variableOf)
          .find((each) => each !== undefined && !environment[each]);
        return name === undefined ? [] : [{ path, name }];
      }),
    unread: () =>
      leavesOf(config, '').filter((path) => !read.has(path) && !isEmpty(valueAt(path), environment)),
  };
}

/** An empty value counts as unset, for example that of a missing environment variable. */
const isEmpty = (value: unknown, environment: Environment): boolean =>
  typeof value === 'string'
    ? substitute(value, environment) === ''
    : Array.isArray(value) && value.length === 0;

/** Replaces a value `env(NAME)`, as the vendor's CLI does. */
function substitute(value: string, environment: Environment): string {
  const name = variableOf(value);
  return name === undefined ? value : (environment[name] ?? '');
}

const variableOf = (value: unknown): string | undefined =>
  typeof value === 'string' ? /^env\((\w+)\)$/.exec(value)?.[1] : undefined;

function leavesOf(value: unknown, path: string): string[] {
  if (!isTable(value)) return [path];
  return Object.entries(value).flatMap(([name, child]) =>
    leavesOf(child, path === '' ? name : `${path}.${name}`),
  );
}

const unitSeconds: Readonly<Record<string, number>> = { ms: 0.001, s: 1, m: 60, h: 3600 };

function parseDuration(duration: string): number {
  const parts = [...duration.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g)];
  if (parts.map(([part]) => part).join('') !== duration || duration === '')
    throw new Error(`${fileName}: "${duration}" is not a duration such as "60s"`);
  return parts.reduce((sum, [, count, unit = 's']) => sum + Number(count) * (unitSeconds[unit] ?? 0), 0);
}

function parseSize(size: string): number {
  const [, count, unit = ''] = /^(\d+(?:\.\d+)?)\s*([kmgt]?)i?b?$/i.exec(size) ?? [];
  if (count === undefined) throw new Error(`${fileName}: "${size}" is not a size such as "50MiB"`);
  return Math.floor(Number(count) * 1024 ** ['', 'k', 'm', 'g', 't'].indexOf(unit.toLowerCase()));
}
