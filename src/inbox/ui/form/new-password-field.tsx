import { useDeferredValue } from 'react';
import { onDemand } from '../state/loader.ts';
import { PartBoundary } from '../overlay/part-boundary.tsx';
import { credentialTexts } from './credential-texts.ts';
import styles from './field.module.css';
import { PasswordField } from './password-field.tsx';
import type { FieldBinding } from './use-form.ts';

/** Loaded with the first character. */
const PasswordMeter = onDemand(
  async () => (await import('../password-strength/password-meter.tsx')).PasswordMeter,
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
        password === '' ? (
          hint
        ) : (
          <PartBoundary isOptional fallback={hint}>
            <PasswordMeter password={password} own={own} label={strength.label} levels={strength.levels} />
          </PartBoundary>
        )
      }
    />
  );
}
