import { Choice } from '../../ui/choice.tsx';
import { Section } from '../../ui/section.tsx';
import { useLanguage } from '../../ui/texts.ts';
import { MailDelivery } from './mail-delivery.tsx';
import { digestFrequencies, type PreferenceChange, type Preferences } from './preferences.ts';
import layout from '../../ui/layout.module.css';
import styles from './preferences.module.css';
import { preferencesTexts } from './preferences-texts.ts';
import { TimeZoneChoice } from './time-zone-choice.tsx';

export interface DigestSectionProps {
  readonly preferences: Preferences;
  readonly onChange: (change: PreferenceChange) => void;
}

const numbersFrom = (first: number, count: number) =>
  Array.from({ length: count }, (_, index) => first + index);

/** How often a digest is mailed, and when. A table without the schedule's columns shows the frequency alone. */
export function DigestSection({ preferences, onChange }: DigestSectionProps) {
  const texts = preferencesTexts.use();
  const language = useLanguage();
  const isEmailOn = preferences.enable_email_notifications;
  const { email_digest_frequency: frequency, digest_hour, digest_weekday, time_zone } = preferences;
  // 5 January 1970 was a Monday, which ISO 8601 counts as 1.
  const weekday = new Intl.DateTimeFormat(language, { weekday: 'long', timeZone: 'UTC' });
  const hour = new Intl.DateTimeFormat(language, { timeStyle: 'short', timeZone: 'UTC' });
  const isTimed = isEmailOn && (frequency === 'daily' || frequency === 'weekly');
  return (
    <Section title={texts.digestTitle}>
      <div className={styles.group}>
        <Choice
          label={texts.digest}
          value={isEmailOn ? frequency : 'never'}
          options={digestFrequencies.map((value) => [value, texts.frequencies[value]])}
          disabled={!isEmailOn}
          onChange={(value) => onChange({ email_digest_frequency: value })}
        />
        {isTimed && frequency === 'weekly' && digest_weekday !== undefined && (
          <Choice
            label={texts.digestDay}
            value={String(digest_weekday)}
            options={numbersFrom(1, 7).map((day) => [
              String(day),
              weekday.format(Date.UTC(1970, 0, 4 + day)),
            ])}
            onChange={(day) => onChange({ digest_weekday: Number(day) })}
          />
        )}
        {isTimed && digest_hour !== undefined && (
          <Choice
            label={texts.digestHour}
            value={String(digest_hour)}
            options={numbersFrom(0, 24).map((value) => [
              String(value),
              hour.format(Date.UTC(1970, 0, 1, value)),
            ])}
            onChange={(value) => onChange({ digest_hour: Number(value) })}
          />
        )}
        {isTimed && time_zone !== undefined && (
          <TimeZoneChoice
            label={texts.timeZone}
            value={time_zone}
            onChange={(zone) => onChange({ time_zone: zone })}
          />
        )}
      </div>
      {isEmailOn ? (
        <MailDelivery preferences={preferences} onChange={onChange} />
      ) : (
        <p className={layout.hint}>{texts.digestOff}</p>
      )}
    </Section>
  );
}
