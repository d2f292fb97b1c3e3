import { Switch } from '../../../ui/form/switch.tsx';
import { Section } from '../../../ui/section.tsx';
import type { PreferencesFormProps } from '../preferences-form.tsx';
import { preferencesTexts } from '../preferences-texts.ts';

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
