/** Returns a value that has the shape; its type then says so. @throws {TypeError} naming the place, never the value. */
export type Shape<T> = (value: unknown, at?: string) => T;

export type TypeOf<S> = S extends Shape<infer T> ? T : never;

type Optional<S> = { [K in keyof S]: undefined extends TypeOf<S[K]> ? K : never }[keyof S];
type ObjectOf<S> = { [K in keyof S as Exclude<K, Optional<S>>]: TypeOf<S[K]> } & {
  [K in keyof S as K & Optional<S>]?: TypeOf<S[K]>;
} & { [key: string]: unknown };

function shape<T>(fits: (value: unknown) => boolean): Shape<T> {
  return (value, at = 'body') => {
    if (fits(value)) return value as T;
    throw new TypeError(`Unexpected ${at}`);
  };
}

const isObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value);

export const text = shape<string>((value) => typeof value === 'string');
export const filledText = shape<string>((value) => typeof value === 'string' && value !== '');
export const number = shape<number>(Number.isFinite);
export const flag = shape<boolean>((value) => typeof value === 'boolean');
export const record = shape<Record<string, unknown>>(isObject);

const list = shape<unknown[]>(Array.isArray);

export const optional =
  <T>(inner: Shape<T>): Shape<T | undefined> =>
  (value, at) =>
    value === undefined ? value : inner(value, at);

/** Servers leave out what they do not know, or write null. */
export const maybe =
  <T>(inner: Shape<T>): Shape<T | null | undefined> =>
  (value, at) =>
    value === null ? value : optional(inner)(value, at);

export const listOf =
  <T>(inner: Shape<T>): Shape<T[]> =>
  (value, at) => {
    const items = list(value, at);
    items.forEach((item, index) => inner(item, `${at}.${index}`));
    return items as T[];
  };

export const recordOf =
  <T>(inner: Shape<T>): Shape<Record<string, T>> =>
  (value, at) => {
    for (const [key, item] of Object.entries(record(value, at))) inner(item, `${at}.${key}`);
    return value as Record<string, T>;
  };

/** An object with at least these members. */
export const object =
  <const S extends Readonly<Record<string, Shape<unknown>>>>(members: S): Shape<ObjectOf<S>> =>
  (value, at = 'body') => {
    const fields = record(value, at);
    for (const [key, member] of Object.entries(members)) member(fields[key], `${at}.${key}`);
    return fields as ObjectOf<S>;
  };
