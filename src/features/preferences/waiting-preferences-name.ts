import type { WaitingPreferences } from './data/waiting-preferences.ts';
import { preferenceChannels, preferenceKinds } from './preferences.ts';
import type { PreferencesTexts } from './texts/preferences-texts.en.ts';

/** The settings that a waiting change of preferences has, in words. */
export function waitingPreferencesName({ change }: WaitingPreferences, texts: PreferencesTexts): string {
  const names = new Set(Object.keys(change).map((setting) => settingName(setting, texts)));
  return `${texts.title}: ${[...names].join(', ')}`;
}

function settingName(setting: string, texts: PreferencesTexts): string {
  for (const channel of preferenceChannels) {
    if (setting === `enable_${channel}_notifications`) return texts.enable[channel];
    for (const kind of preferenceKinds)
      if (setting === `${channel}_${kind}`) return `${texts.kinds[kind]} (${texts.channels[channel]})`;
  }
  if (setting === 'time_zone') return texts.timeZone;
  if (setting === 'language') return texts.mailLanguage;
  return setting.startsWith('quiet') ? texts.quietTitle : texts.digestTitle;
}
