import { useState } from 'react';
import { useUser } from 'supabase-protocol-clients/react';
import { digestFrequencies, type PreferenceChange } from '../../features/preferences/preferences.ts';
import { preferencesTexts } from '../../features/preferences/preferences-texts.ts';
import { TimeZoneChoice } from '../../features/preferences/time-zone-choice.tsx';
import { useClients } from '../../shared/clients/clients-context.ts';
import { ownTimeZone } from '../../shared/own-time-zone.ts';
import { Button } from '../../ui/button.tsx';
import { Choice } from '../../ui/choice.tsx';
import layout from '../../ui/layout.module.css';
import { Section } from '../../ui/section.tsx';
import { waitUntil } from '../../ui/state/wait-until.ts';
import { appTexts } from '../app-texts.ts';
import { useUserData } from '../data/user-data-context.ts';
import { LanguageChoice } from './display-choices.tsx';
import styles from './shell.module.css';

/** Three questions for a new account: language, time zone and digest. Each answer is saved at once; all may be skipped. */
export function FirstVisitQuestions() {
  const texts = appTexts.use();
  const words = preferencesTexts.use();
  const { auth, platform } = useClients();
  const { openCache } = useUserData();
  const given = useUser()?.user_metadata?.['time_zone'];
  const [zone, setZone] = useState(typeof given === 'string' ? given : (ownTimeZone() ?? 'UTC'));
  const [frequency, setFrequency] = useState<(typeof digestFrequencies)[number]>('daily');
  const [isOver, setIsOver] = useState(false);
  const save = async (change: PreferenceChange) => {
    const { preferences } = await openCache();
    preferences.ensure();
    await waitUntil(preferences, () => !preferences.getSnapshot().isReading);
    preferences.change(change);
  };
  const end = () => {
    setIsOver(true);
    auth.updateUser({ data: { first_visit: false } }).catch(platform.report);
  };
  if (isOver) return null;
  return (
    <div className={styles.firstVisit}>
      <Section title={texts.firstVisit} intro={texts.firstVisitText}>
        <LanguageChoice />
        <TimeZoneChoice
          label={words.timeZone}
          value={zone}
          onChange={(time_zone) => {
            setZone(time_zone);
            save({ time_zone }).catch(platform.report);
          }}
        />
        <Choice
          label={words.digestTitle}
          value={frequency}
          options={digestFrequencies.map((value) => [value, words.frequencies[value]])}
          onChange={(email_digest_frequency) => {
            setFrequency(email_digest_frequency);
            save({ email_digest_frequency }).catch(platform.report);
          }}
        />
        <div className={layout.actions}>
          <Button look="quiet" onClick={end}>
            {texts.skip}
          </Button>
          <Button look="primary" onClick={end}>
            {texts.done}
          </Button>
        </div>
      </Section>
    </div>
  );
}
