import { Switch } from '../../../ui/form/switch.tsx';
import type { PreferencesFormProps } from '../preferences-form.tsx';
import styles from '../preferences.module.css';
import { privacyTexts } from './privacy-texts.ts';

/** What other users see of the user. Nothing on a table without the column. */
export function PrivacySection({ preferences, onChange }: PreferencesFormProps) {
  const texts = privacyTexts.use();
  if (preferences.show_online === undefined) return null;
  return (
    <section className={styles.section}>
      <h2>{texts.title}</h2>
      <div className={styles.group}>
        <Switch
          label={texts.showOnline}
          hint={texts.showOnlineHint}
          checked={preferences.show_online}
          onChange={(isShown) => onChange({ show_online: isShown })}
        />
      </div>
    </section>
  );
}
