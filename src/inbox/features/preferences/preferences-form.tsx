import { Switch } from '../../ui/form/switch.tsx';
import { Section } from '../../ui/section.tsx';
import { DigestSection } from './digest-section.tsx';
import { isEffective, preferenceChannels, preferenceKinds } from './preferences.ts';
import type { PreferenceChange, PreferenceKind, Preferences } from './preferences.ts';
import styles from './preferences.module.css';
import { QuietSection } from './quiet/quiet-section.tsx';
import { preferencesTexts } from './preferences-texts.ts';

export interface PreferencesFormProps {
  readonly preferences: Preferences;
  readonly onChange: (change: PreferenceChange) => void;
}

export function PreferencesForm({ preferences, onChange }: PreferencesFormProps) {
  const texts = preferencesTexts.use();
  return (
    <>
      <Section title={texts.channelsTitle}>
        {preferenceChannels.map((channel) => (
          <Switch
            key={channel}
            label={texts.enable[channel]}
            hint={texts.enableHint[channel]}
            checked={preferences[`enable_${channel}_notifications`]}
            onChange={(isOn) => onChange({ [`enable_${channel}_notifications`]: isOn })}
          />
        ))}
      </Section>
      <Section title={texts.kindsTitle}>
        <div>
          <div className={styles.columns} aria-hidden="true">
            {preferenceChannels.map((channel) => (
              <span key={channel}>{texts.channels[channel]}</span>
            ))}
          </div>
          {preferenceKinds.map((kind) => (
            <KindSettings key={kind} kind={kind} preferences={preferences} onChange={onChange} />
          ))}
        </div>
      </Section>
      <DigestSection preferences={preferences} onChange={onChange} />
      <QuietSection preferences={preferences} onChange={onChange} />
    </>
  );
}

/** What other users see of the user. Nothing on a table without the column. */
export function PrivacySection({ preferences, onChange }: PreferencesFormProps) {
  const texts = preferencesTexts.use().privacy;
  if (preferences.show_online === undefined) return null;
  return (
    <Section title={texts.title}>
      <Switch
        label={texts.showOnline}
        hint={texts.showOnlineHint}
        checked={preferences.show_online}
        onChange={(isShown) => onChange({ show_online: isShown })}
      />
    </Section>
  );
}

/** One kind: a table row on wide screens, a fieldset on narrow ones. */
function KindSettings({
  kind,
  preferences,
  onChange,
}: PreferencesFormProps & { readonly kind: PreferenceKind }) {
  const texts = preferencesTexts.use();
  return (
    <fieldset className={styles.kind}>
      <legend>{texts.kinds[kind]}</legend>
      <p className={styles.hint}>{texts.kindHint[kind]}</p>
      {preferenceChannels.map((channel) => {
        const isOn = preferences[`enable_${channel}_notifications`];
        const chosen = preferences[`${channel}_${kind}`];
        return (
          <div key={channel} className={styles.cell} title={isOn ? undefined : texts.kept(chosen)}>
            <Switch
              label={texts.channels[channel]}
              checked={isEffective(preferences, channel, kind)}
              disabled={!isOn}
              {...(isOn ? {} : { hint: texts.kept(chosen) })}
              onChange={(wanted) => onChange({ [`${channel}_${kind}`]: wanted })}
            />
          </div>
        );
      })}
    </fieldset>
  );
}
