/**
 * The part of Standard Schema v1 (standardschema.dev) that the clients use. Schemas of zod, valibot and arktype have this
 * shape.
 */
export interface StandardSchema<out Input = unknown, out Output = Input> {
  /** The specification's one property. */
  readonly '~standard': {
    readonly version: 1;
    /** Name of the library that made the schema. */
    readonly vendor: string;
    readonly validate: (value: unknown) => SchemaResult<Output> | Promise<SchemaResult<Output>>;
    /** Present for the type checker only. */
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  };
}

/** The result of a validation: `issues` is missing when the value is valid. */
export type SchemaResult<T> =
  | { readonly value: T; readonly issues?: undefined }
  | { readonly issues: readonly SchemaIssue[] };

/** One reason why a value is invalid. */
export interface SchemaIssue {
  /** The library's words; some libraries quote the value here. */
  readonly message: string;
  /** Keys that lead to the invalid part; absent for the value as a whole. */
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** The keys of an issue's path, joined by dots: `items.0.name`. Empty for the value as a whole. */
export function issuePath({ path = [] }: SchemaIssue): string {
  return path.map((step) => String(typeof step === 'object' ? step.key : step)).join('.');
}
