import type { OutboxOutcome, OutboxSender, OutboxTopic } from '../../../shared/outbox/outbox.ts';
import type { PreferenceChange, Preferences } from '../preferences.ts';
import type { PreferencesApi } from './preferences-api.ts';
import { isNoRow } from './load-preferences.ts';

/** A change of preferences that waits for a connection. */
export interface WaitingPreferences {
  readonly format: 1;
  readonly change: PreferenceChange;
  /** The values before the change. Different values when it is sent are a conflict. */
  readonly before: PreferenceChange;
}

/** @param shown the preferences with all earlier changes. */
export function createWaitingPreferences(change: PreferenceChange, shown: Preferences): WaitingPreferences {
  const before = Object.fromEntries(
    Object.keys(change).map((name) => [name, shown[name as keyof PreferenceChange]]),
  );
  return { format: 1, change, before };
}

/** Sends changes of preferences that waited, unless another device changed the same settings meanwhile. */
export function createPreferencesSender(
  api: Pick<PreferencesApi, 'read' | 'update'>,
): OutboxSender<WaitingPreferences> {
  const send = async ({ change, before }: WaitingPreferences): Promise<OutboxOutcome> => {
    const row = await api.read();
    if (hasValues(row, change)) return 'sent';
    if (!hasValues(row, before)) return 'changed';
    await api.update(change);
    return 'sent';
  };
  return {
    parse(payload) {
      const stored = payload as Partial<WaitingPreferences> | null;
      return stored?.format === 1 ? (stored as WaitingPreferences) : null;
    },
    send: (waiting) =>
      send(waiting).catch((problem: unknown) => {
        if (isNoRow(problem)) return 'deleted' as const;
        throw problem;
      }),
  };
}

/** Arrays are compared by their items. */
function hasValues(row: Preferences, values: PreferenceChange): boolean {
  return Object.entries(values).every(
    ([name, value]) => JSON.stringify(row[name as keyof Preferences]) === JSON.stringify(value),
  );
}

export type PreferencesTopic = OutboxTopic<WaitingPreferences>;
