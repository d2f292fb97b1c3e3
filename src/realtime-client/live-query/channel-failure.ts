import type { ChangeBinding } from '../changes/change-queue.ts';
import { RealtimeError } from '../errors.ts';
import type { ChannelSnapshot } from '../socket/connection.ts';

/** The variable that bundlers replace by a constant. */
declare const process: { readonly env: { readonly NODE_ENV?: string } };

type Failure = NonNullable<ChannelSnapshot['error']>;

/**
 * Explains the failure of a list's channel: for a refused subscription the message has the statement that publishes the
 * table. Logs a warning during development.
 *
 * @param before the present error of the list, which is returned again for the same failure.
 */
export function explainFailure(
  { code, message }: Failure,
  { schema, table }: Pick<ChangeBinding<never>, 'schema' | 'table'>,
  before: Error | null,
): RealtimeError {
  const isRefused = code === 'subscription-refused';
  const hint = `. If the table is not published: alter publication supabase_realtime add table ${schema}.${table};`;
  const text = isRefused ? message + hint : message;
  if (before instanceof RealtimeError && before.code === code && before.message === text) return before;
  if (isRefused)
    warn?.(`The live list of ${table} gets no changes, and is read at its interval only. ${text}`);
  return new RealtimeError(code, text);
}

let warn: ((text: string) => void) | undefined;

// In a page without a bundler there is no `process`, and no warning.
try {
  // oxlint-disable-next-line no-console -- a developer reads it
  if (process.env.NODE_ENV !== 'production') warn = (text) => console.warn(text);
} catch {}
