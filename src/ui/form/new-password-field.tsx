import { Suspense } from 'react';
import { lazyPart } from '../state/lazy-part.ts';
import { PasswordField } from './password-field.tsx';
import type { FieldBinding } from './use-form.ts';

const PasswordMeter = lazyPart(async () => (await import('./password-meter.tsx')).PasswordMeter);

export interface NewPasswordFieldProps extends FieldBinding {
  readonly label: string;
  /** Texts that a guesser knows, such as the email address. */
  readonly own: readonly string[];
}

/** A field for a new password, with an estimate of its strength. */
export function NewPasswordField({ own, ...field }: NewPasswordFieldProps) {
  return (
    <PasswordField
      autoComplete="new-password"
      required
      {...field}
      below={
        <Suspense fallback={<p>&nbsp;</p>}>
          <PasswordMeter password={field.value} own={own} />
        </Suspense>
      }
    />
  );
}
