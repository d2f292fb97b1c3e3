import { useId } from 'react';
import { kindLabel, type RegisteredKind, useRegisteredKinds } from '../../shared/registered-kinds.ts';
import { useLanguage } from '../../ui/texts.ts';
import { Switch } from '../../ui/form/switch.tsx';
import { Section } from '../../ui/section.tsx';
import { DigestSection } from './digest-section.tsx';
import { preferenceChannels, preferenceKinds } from './preferences.ts';
import type { PreferenceChange, PreferenceChannel, Preferences } from './preferences.ts';
import styles from './preferences.module.css';
import { QuietSection } from './quiet/quiet-section.tsx';
import { preferencesTexts } from './preferences-texts.ts';

export interface PreferencesFormProps {
  readonly preferences: Preferences;
  readonly onChange: (change: PreferenceChange) => void;
}

export function PreferencesForm({ preferences, onChange }: PreferencesFormProps) {
  const texts = preferencesTexts.use();
  const registered = [...useRegisteredKinds().values()];
  const kinds = registered.filter((kind) => !kind.is_topic);
  const topics = registered.filter((kind) => kind.is_topic);
  return (
    <>
      <Section title={texts.channelsTitle}>
        {preferenceChannels.map((channel) => (
          <Switch
            key={channel}
            label={texts.enable[channel]}
            checked={preferences[`enable_${channel}_notifications`]}
            onChange={(isOn) => onChange({ [`enable_${channel}_notifications`]: isOn })}
          />
        ))}
      </Section>
      <Section title={texts.kindsTitle}>
        <div>
          <ChannelHeadings />
          {preferenceKinds.map((kind) => (
            <KindSettings
              key={kind}
              label={texts.kinds[kind]}
              {...(kind === 'mentions' || kind === 'invites' ? { hint: texts.kindHint[kind] } : {})}
              preferences={preferences}
              choice={(channel) => preferences[`${channel}_${kind}`]}
              onChoose={(channel, wanted) => onChange({ [`${channel}_${kind}`]: wanted })}
            />
          ))}
          <RegisteredKindSettings kinds={kinds} preferences={preferences} onChange={onChange} />
        </div>
      </Section>
      {preferences.kinds && topics.length > 0 && (
        <Section title={texts.topicsTitle}>
          <div>
            <ChannelHeadings />
            <RegisteredKindSettings kinds={topics} preferences={preferences} onChange={onChange} />
          </div>
        </Section>
      )}
      <DigestSection preferences={preferences} onChange={onChange} />
      <QuietSection preferences={preferences} onChange={onChange} />
    </>
  );
}

function ChannelHeadings() {
  const texts = preferencesTexts.use();
  return (
    <div className={styles.columns} aria-hidden="true">
      {preferenceChannels.map((channel) => (
        <span key={channel}>{texts.channels[channel]}</span>
      ))}
    </div>
  );
}

/** Kinds that the team registered. Renders nothing if the table lacks the column. */
function RegisteredKindSettings({
  kinds: registered,
  preferences,
  onChange,
}: PreferencesFormProps & { readonly kinds: readonly RegisteredKind[] }) {
  const language = useLanguage();
  const { kinds } = preferences;
  const sorted = [...registered];
  sorted.sort((one, other) => kindLabel(one, language).localeCompare(kindLabel(other, language), language));
  return (
    kinds &&
    sorted.map((kind) => (
      <KindSettings
        key={kind.name}
        label={kindLabel(kind, language)}
        preferences={preferences}
        choice={(channel) => kinds[kind.name]?.[channel] ?? kind[channel]}
        onChoose={(channel, wanted) =>
          onChange({ kinds: { ...kinds, [kind.name]: { ...kinds[kind.name], [channel]: wanted } } })
        }
      />
    ))
  );
}

interface KindSettingsProps {
  readonly label: string;
  readonly hint?: string;
  readonly preferences: Preferences;
  readonly choice: (channel: PreferenceChannel) => boolean;
  readonly onChoose: (channel: PreferenceChannel, wanted: boolean) => void;
}

/** One kind: a table row on wide screens, a group on narrow ones; no fieldset, whose legend WebKit keeps out of a grid. The global switches disable it and keep its choices. */
function KindSettings({ label, hint, preferences, choice, onChoose }: KindSettingsProps) {
  const labelId = useId();
  const texts = preferencesTexts.use();
  return (
    <div role="group" aria-labelledby={labelId} className={styles.kind}>
      <span id={labelId} className={styles.name}>
        {label}
      </span>
      {hint !== undefined && <p className={styles.hint}>{hint}</p>}
      {preferenceChannels.map((channel) => {
        const isOn = preferences[`enable_${channel}_notifications`];
        const chosen = choice(channel);
        return (
          <div key={channel} className={styles.cell} title={isOn ? undefined : texts.kept(chosen)}>
            <Switch
              label={texts.channels[channel]}
              checked={isOn && chosen}
              disabled={!isOn}
              {...(isOn ? {} : { hint: texts.kept(chosen) })}
              onChange={(wanted) => onChoose(channel, wanted)}
            />
          </div>
        );
      })}
    </div>
  );
}
