import { Suspense, useDeferredValue, type ComponentType } from 'react';
import type { PasswordMeterProps } from '../password-strength/password-meter.tsx';
import { onDemand } from '../state/loader.ts';
import { credentialTexts } from './credential-texts.ts';
import styles from './field.module.css';
import { PasswordField } from './password-field.tsx';
import type { FieldBinding } from './use-form.ts';

/** Loaded with the first character. A form works without the meter, whose code may fail to load. */
const PasswordMeter = onDemand(() =>
  import('../password-strength/password-meter.tsx').then(
    (code): ComponentType<PasswordMeterProps> => code.PasswordMeter,
    () => () => null,
  ),
);

export interface NewPasswordFieldProps extends FieldBinding {
  readonly label: string;
  /** Texts that a guesser knows, such as the email address. */
  readonly own: readonly string[];
}

export function NewPasswordField({ own, ...field }: NewPasswordFieldProps) {
  const { strength } = credentialTexts.use();
  // The estimate may take a millisecond: typing goes first.
  const password = useDeferredValue(field.value);
  const hint = <p className={styles.hint}>{strength.hint}</p>;
  return (
    <PasswordField
      autoComplete="new-password"
      required
      {...field}
      below={
        <div className={styles.strength}>
          {password === '' ? (
            hint
          ) : (
            <Suspense fallback={hint}>
              <PasswordMeter password={password} own={own} label={strength.label} levels={strength.levels} />
            </Suspense>
          )}
        </div>
      }
    />
  );
}
