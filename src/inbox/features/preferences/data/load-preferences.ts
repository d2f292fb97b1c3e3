import { RestError } from 'supabase-protocol-clients/rest-client';
import { temporaryPreferences, type Preferences } from '../preferences.ts';
import type { PreferencesApi } from './preferences-api.ts';

/**
 * The user's preferences by the chain of conformance/protocol/product.md#preferences: without a row the defaults are inserted; if that fails
 * the row is read again; if that fails, or the first read failed for another reason, temporary defaults. Never rejects.
 *
 * @param report logs the errors.
 */
export async function loadPreferences(
  api: Pick<PreferencesApi, 'read' | 'insertDefaults'>,
  report: (problem: unknown) => void,
): Promise<Preferences> {
  const orTemporary = (problem: unknown) => {
    report(problem);
    return temporaryPreferences;
  };
  try {
    return await api.read();
  } catch (problem) {
    if (!isNoRow(problem)) return orTemporary(problem);
  }
  try {
    return await api.insertDefaults();
  } catch (problem) {
    // Another tab may have inserted the defaults first.
    report(problem);
    return api.read().catch(orTemporary);
  }
}

export function isNoRow(problem: unknown): boolean {
  return problem instanceof RestError && problem.code === 'not-one-row';
}
