import { RestError } from 'supabase-protocol-clients/rest-client';
import { temporaryPreferences, type Preferences } from '../preferences.ts';
import { ownTimeZone } from './own-time-zone.ts';
import type { PreferencesApi } from './preferences-api.ts';

/**
 * The user's preferences by the chain of conformance/protocol/product.md#preferences: without a row the defaults are inserted; if that fails
 * the row is read again; if that fails, or the first read failed for another reason, temporary defaults. Never rejects.
 *
 * @param report logs the errors.
 */
export async function loadPreferences(
  api: Pick<PreferencesApi, 'read' | 'insertDefaults' | 'update'>,
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
    return await withOwnTimeZone(api, await api.insertDefaults(), report);
  } catch (problem) {
    // Another tab may have inserted them first.
    report(problem);
    return api.read().catch(orTemporary);
  }
}

/**
 * Sets the time zone of a new row to the browser's, so that digests arrive at 8 local time. A table without the column has no
 * `time_zone`.
 */
async function withOwnTimeZone(
  api: Pick<PreferencesApi, 'update'>,
  inserted: Preferences,
  report: (problem: unknown) => void,
): Promise<Preferences> {
  const { time_zone } = inserted;
  const own = ownTimeZone();
  if (time_zone === undefined || time_zone === own) return inserted;
  return api.update({ time_zone: own }, { time_zone }).catch((problem: unknown) => {
    report(problem);
    return inserted;
  });
}

export function isNoRow(problem: unknown): boolean {
  return problem instanceof RestError && problem.code === 'not-one-row';
}
