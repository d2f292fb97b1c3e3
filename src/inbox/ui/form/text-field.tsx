import type { ComponentProps, ReactNode } from 'react';
import { classNames } from '../state/class-names.ts';
import { FieldFrame } from './field.tsx';
import styles from './field.module.css';

export interface TextFieldProps extends Omit<ComponentProps<'input'>, 'id' | 'aria-invalid'> {
  readonly label: ReactNode;
  readonly hint?: ReactNode;
  readonly error?: string | undefined;
  readonly below?: ReactNode;
}

export function TextField({ label, hint, error, below, className, ...input }: TextFieldProps) {
  return (
    <FieldFrame label={label} hint={hint} error={error} below={below}>
      {(control) => <input {...input} {...control} className={classNames(styles.input, className)} />}
    </FieldFrame>
  );
}

/** An email field with its keyboard, autofill and spelling attributes. */
export function EmailField(props: TextFieldProps) {
  return (
    <TextField
      type="email"
      inputMode="email"
      autoComplete="username"
      autoCapitalize="none"
      autoCorrect="off"
      spellCheck={false}
      {...props}
    />
  );
}

/** A one-time code: a single input, so that pasting and autofill work. */
export function CodeField(props: TextFieldProps) {
  return (
    <TextField
      inputMode="numeric"
      autoComplete="one-time-code"
      autoCapitalize="none"
      autoCorrect="off"
      spellCheck={false}
      {...props}
      className={styles.code}
    />
  );
}
