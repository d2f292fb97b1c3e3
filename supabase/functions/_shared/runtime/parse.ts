import * as z from 'zod/mini';

/** A request does not have the expected shape. The caller receives the message. */
export class InvalidRequestError extends Error {
  override readonly name = 'InvalidRequestError';
}

/** A service of the project responded in an unexpected shape: the function and the service are of different versions. */
export class UnexpectedResponseError extends Error {
  override readonly name = 'UnexpectedResponseError';
}

/** @throws {InvalidRequestError} if `value` does not fit. */
export function parseRequest<Schema extends z.ZodMiniType>(schema: Schema, value: unknown): z.output<Schema> {
  const result = z.safeParse(schema, value);
  if (!result.success) throw new InvalidRequestError(z.prettifyError(result.error));
  if (hasNull(result.data)) throw new InvalidRequestError('A text has the character U+0000');
  return result.data;
}

/** Whether a text has the one character that PostgreSQL does not store. */
const hasNull = (value: unknown): boolean =>
  typeof value === 'string' ? value.includes('\0') : Object.values(value ?? {}).some(hasNull);

/** Parses the JSON of a request. @throws {InvalidRequestError} if it is not JSON or does not fit. */
export function parseRequestJson<Schema extends z.ZodMiniType>(
  schema: Schema,
  text: string,
): z.output<Schema> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (problem) {
    throw new InvalidRequestError('The body is not JSON', { cause: problem });
  }
  return parseRequest(schema, value);
}

/** @param source names the service in the error. @throws {UnexpectedResponseError} if `value` does not fit. */
export function parseResponse<Schema extends z.ZodMiniType>(
  schema: Schema,
  source: string,
  value: unknown,
): z.output<Schema> {
  const result = z.safeParse(schema, value);
  if (result.success) return result.data;
  throw new UnexpectedResponseError(`${source}: ${z.prettifyError(result.error)}`, { cause: result.error });
}
