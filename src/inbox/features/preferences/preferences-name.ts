import type { StoredPreferences } from './data/stored-preferences.ts';
import { preferenceChannels, preferenceKinds } from './preferences.ts';
import type { PreferencesTexts } from './preferences-texts.ts';

export function preferencesName({ change }: StoredPreferences, names: PreferencesTexts): string {
  const settings = new Set(Object.keys(change).map((setting) => settingName(setting, names)));
  return `${names.title}: ${[...settings].join(', ')}`;
}

function settingName(setting: string, names: PreferencesTexts): string {
  for (const channel of preferenceChannels) {
    if (setting === `enable_${channel}_notifications`) return names.enable[channel];
    for (const kind of preferenceKinds)
      if (setting === `${channel}_${kind}`) return `${names.kinds[kind]} (${names.channels[channel]})`;
  }
  if (setting === 'time_zone') return names.timeZone;
  return setting.startsWith('quiet') ? names.quietTitle : names.digestTitle;
}
