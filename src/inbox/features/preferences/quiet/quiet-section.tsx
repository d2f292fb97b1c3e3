import { Switch } from '../../../ui/form/switch.tsx';
import { TextField } from '../../../ui/form/text-field.tsx';
import { Section } from '../../../ui/section.tsx';
import { useLanguage } from '../../../ui/texts.ts';
import type { PreferenceChange, Preferences } from '../preferences.ts';
import styles from '../preferences.module.css';
import { preferencesTexts } from '../preferences-texts.ts';
import { TimeZoneChoice, BrowserTimeZoneOffer } from '../time-zone-choice.tsx';
import { defaultQuietHours, weekdays } from './quiet-hours.ts';

export interface QuietSectionProps {
  readonly preferences: Preferences;
  readonly onChange: (change: PreferenceChange) => void;
}

/** The hours without alerts, in which emails wait. Renders nothing on a table without the columns. */
export function QuietSection({ preferences, onChange }: QuietSectionProps) {
  const texts = preferencesTexts.use();
  const {
    quiet_hours_start: start,
    quiet_hours_end: end,
    quiet_weekdays: days,
    time_zone: zone,
  } = preferences;
  if (start === undefined || end === undefined || days === undefined) return null;
  return (
    <Section title={texts.quietTitle}>
      <Switch
        label={texts.quiet}
        hint={texts.quietHint}
        checked={start !== null}
        onChange={(isOn) =>
          onChange(isOn ? defaultQuietHours : { quiet_hours_start: null, quiet_hours_end: null })
        }
      />
      {start !== null && end !== null && (
        <>
          <div className={styles.times}>
            <TimeField
              label={texts.quietFrom}
              value={start}
              onChange={(time) => onChange({ quiet_hours_start: time })}
            />
            <TimeField
              label={texts.quietTo}
              value={end}
              onChange={(time) => onChange({ quiet_hours_end: time })}
            />
          </div>
          <Weekdays days={days} onChange={(chosen) => onChange({ quiet_weekdays: chosen })} />
          {days.length === 0 && <p className={styles.hint}>{texts.quietNoDay}</p>}
          {zone !== undefined && (
            <>
              <TimeZoneChoice
                label={texts.timeZone}
                value={zone}
                onChange={(chosen) => onChange({ time_zone: chosen })}
              />
              {/* New accounts have UTC, in which the hours of a night differ from the user's. */}
              <BrowserTimeZoneOffer zone={zone} onChange={onChange} />
            </>
          )}
        </>
      )}
    </Section>
  );
}

interface TimeFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (time: string) => void;
}

function TimeField({ label, value, onChange }: TimeFieldProps) {
  return (
    <TextField
      label={label}
      type="time"
      required
      value={value.slice(0, 5)}
      onChange={({ currentTarget }) => {
        // An incomplete time is empty: the last complete one stays.
        if (currentTarget.value !== '') onChange(`${currentTarget.value}:00`);
      }}
    />
  );
}

interface WeekdaysProps {
  readonly days: readonly number[];
  readonly onChange: (days: number[]) => void;
}

function Weekdays({ days, onChange }: WeekdaysProps) {
  const texts = preferencesTexts.use();
  const language = useLanguage();
  // 5 January 1970 was a Monday, which ISO 8601 counts as 1.
  const dayOf = (day: number) => Date.UTC(1970, 0, 4 + day);
  const short = new Intl.DateTimeFormat(language, { weekday: 'short', timeZone: 'UTC' });
  const long = new Intl.DateTimeFormat(language, { weekday: 'long', timeZone: 'UTC' });
  return (
    <fieldset className={styles.days}>
      <legend>{texts.quietDays}</legend>
      {weekdays.map((day) => (
        <label key={day} className={styles.day}>
          <input
            type="checkbox"
            aria-label={long.format(dayOf(day))}
            checked={days.includes(day)}
            onChange={({ currentTarget: { checked } }) =>
              onChange(weekdays.filter((each) => (each === day ? checked : days.includes(each))))
            }
          />
          <span aria-hidden="true">{short.format(dayOf(day))}</span>
        </label>
      ))}
    </fieldset>
  );
}
