import { expect, test } from 'vitest';
import type { PreferencesApi } from '../../../../src/inbox/features/preferences/data/preferences-api.ts';
import { loadPreferences } from '../../../../src/inbox/features/preferences/data/load-preferences.ts';
import {
  defaultSettings,
  newerPreferences,
  parsePreferences,
  temporaryPreferences,
} from '../../../../src/inbox/features/preferences/preferences.ts';
import type { Preferences } from '../../../../src/inbox/features/preferences/preferences.ts';
import { RestError } from '../../../../src/rest-client/index.ts';

const saved: Preferences = { ...defaultSettings, id: 'row', updated_at: '2026-01-01T00:00:00+00:00' };
const noRow = new RestError('not-one-row', 'The result contains 0 rows', {
  serverCode: 'PGRST116',
  status: 406,
});
const down = new RestError('network', 'No response');

/** An API whose calls respond in turn; a call beyond the script is refused. */
function script(...responses: readonly (readonly [keyof PreferencesApi, Preferences | RestError])[]) {
  const left = [...responses];
  const call = (name: keyof PreferencesApi) => () => {
    const next = left.shift();
    if (next?.[0] !== name) throw new Error(`${name} was not expected`);
    return next[1] instanceof RestError ? Promise.reject(next[1]) : Promise.resolve(next[1]);
  };
  const reported: unknown[] = [];
  const load = () =>
    loadPreferences({ read: call('read'), insertDefaults: call('insertDefaults') }, (problem) =>
      reported.push(problem),
    );
  return { load, reported, left };
}

test('the preferences are the row, where there is one', async () => {
  expect(await script(['read', saved]).load()).toBe(saved);
});

test('the preferences are the inserted defaults, where there is no row', async () => {
  const { load, reported } = script(['read', noRow], ['insertDefaults', saved]);
  expect(await load()).toBe(saved);
  expect(reported).toEqual([]);
});

test('the preferences are read again, where inserting fails', async () => {
  const { load, left } = script(['read', noRow], ['insertDefaults', down], ['read', saved]);
  expect(await load()).toBe(saved);
  expect(left).toEqual([]);
});

test('the preferences are temporary defaults, where the second read fails too', async () => {
  const { load, reported } = script(['read', noRow], ['insertDefaults', down], ['read', noRow]);
  expect(await load()).toBe(temporaryPreferences);
  expect(reported).toEqual([down, noRow]);
});

test('the preferences are temporary defaults at once, where the first read gets no response', async () => {
  const { load, reported } = script(['read', down]);
  expect(await load()).toMatchObject({
    id: 'temp-id',
    email_edits: false,
    email_digest_frequency: 'daily',
  });
  expect(reported).toEqual([down]);
});

test('a row of preferences may have columns that the application does not know', () => {
  expect(parsePreferences({ ...saved, created_at: 'x' })).toMatchObject(saved);
});

test('a row of preferences may lack a version', () => {
  const { updated_at: _, ...row } = saved;
  expect(parsePreferences(row).updated_at).toBeNull();
});

test('a row of preferences is refused without one of its settings', () => {
  expect(() => parsePreferences({ ...saved, email_edits: undefined })).toThrow(/./);
  expect(() => parsePreferences({ ...saved, email_digest_frequency: 'yearly' })).toThrow(/./);
});

test('a row of preferences is replaced by a newer version only, or by the later one without versions', () => {
  const newer = { ...saved, updated_at: '2026-01-02T00:00:00+00:00', email_edits: true };
  expect(newerPreferences(newer, saved)).toBe(newer);
  expect(newerPreferences(saved, newer)).toBe(newer);
  expect(newerPreferences(temporaryPreferences, saved)).toBe(saved);
  expect(newerPreferences(null, saved)).toBe(saved);
  const unversioned = { ...saved, updated_at: null };
  expect(newerPreferences(newer, unversioned)).toBe(unversioned);
});
