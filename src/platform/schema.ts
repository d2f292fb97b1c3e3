/**
 * Checks the shape of a value and returns it, typed.
 *
 * @param path the position of the value in the body, for the error message.
 * @throws {TypeError} naming the path, never the value: it may be a secret.
 */
export type Schema<T> = (value: unknown, path?: string) => T;

/** The type that a schema checks for. */
export type TypeOf<S> = S extends Schema<infer T> ? T : never;

type OptionalKey<S> = { [K in keyof S]: undefined extends TypeOf<S[K]> ? K : never }[keyof S];
type ObjectOf<S> = { [K in keyof S as Exclude<K, OptionalKey<S>>]: TypeOf<S[K]> } & {
  [K in keyof S as K & OptionalKey<S>]?: TypeOf<S[K]>;
} & { [key: string]: unknown };

function schema<T>(matches: (value: unknown) => boolean): Schema<T> {
  return (value, path = 'body') => {
    if (matches(value)) return value as T;
    throw new TypeError(`Unexpected ${path}`);
  };
}

const isObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Any text. */
export const string = schema<string>((value) => typeof value === 'string');
/** A text with at least one character. */
export const nonEmptyString = schema<string>((value) => typeof value === 'string' && value !== '');
/** A finite number. */
export const number = schema<number>(Number.isFinite);
/** True or false. */
export const boolean = schema<boolean>((value) => typeof value === 'boolean');
/** An object with any members, but no list. */
export const record = schema<Record<string, unknown>>(isObject);

/** One of these values. */
export const oneOf = <const T extends string>(values: readonly T[]): Schema<T> =>
  schema((value) => values.some((known) => known === value));

const list = schema<unknown[]>(Array.isArray);

/** Undefined passes, too: the member may be missing. */
export const optional =
  <T>(inner: Schema<T>): Schema<T | undefined> =>
  (value, path) =>
    value === undefined ? value : inner(value, path);

/** The server omits a member that has no value, or writes null: both pass. */
export const nullish =
  <T>(inner: Schema<T>): Schema<T | null | undefined> =>
  (value, path) =>
    value === null ? value : optional(inner)(value, path);

/** A list whose items all match. */
export const listOf =
  <T>(inner: Schema<T>): Schema<T[]> =>
  (value, path) => {
    const items = list(value, path);
    items.forEach((item, index) => inner(item, `${path}.${index}`));
    return items as T[];
  };

/** An object whose members all match. */
export const recordOf =
  <T>(inner: Schema<T>): Schema<Record<string, T>> =>
  (value, path) => {
    for (const [key, item] of Object.entries(record(value, path))) inner(item, `${path}.${key}`);
    return value as Record<string, T>;
  };

/**
 * An object with at least these members; further members pass unchecked.
 *
 * @example
 * ```ts
 * import { nullish, number, object, string, type TypeOf } from 'supabase-protocol-clients/platform/schema';
 *
 * const profile = object({ name: string, age: nullish(number) });
 * type Profile = TypeOf<typeof profile>;
 * const ada: Profile = profile(JSON.parse('{"name":"Ada"}'));
 * console.log(ada.name);
 * ```
 */
export const object =
  <const S extends Readonly<Record<string, Schema<unknown>>>>(members: S): Schema<ObjectOf<S>> =>
  (value, path = 'body') => {
    const fields = record(value, path);
    for (const [key, member] of Object.entries(members)) member(fields[key], `${path}.${key}`);
    return fields as ObjectOf<S>;
  };
