/** The variable that bundlers replace by a constant. */
declare const process: { readonly env: { readonly NODE_ENV?: string } };

/**
 * Warns during development if a program reads `data` from a result, as with the vendor's client: here the result is the rows
 * themselves, and `data` is silently undefined. A production bundle contains neither this function nor its call.
 */
export let warnOfData: ((result: unknown) => void) | undefined;

// In a page without a bundler there is no `process`, and no warning.
try {
  if (process.env.NODE_ENV !== 'production') warnOfData = defineData;
} catch {}

function defineData(result: unknown): void {
  if (typeof result !== 'object' || result === null || 'data' in result || !Object.isExtensible(result))
    return;
  Object.defineProperty(result, 'data', { get: warn, configurable: true });
}

let hasWarned = false;
function warn(): undefined {
  if (hasWarned) return;
  hasWarned = true;
  // oxlint-disable-next-line no-console -- a developer reads it
  console.warn(
    'A query of supabase-protocol-clients yields its rows, and throws its errors: write `const rows = await …`, not `const { data, error } = await …`. Calls with { data, error } are in supabase-protocol-clients/compat.',
  );
}
