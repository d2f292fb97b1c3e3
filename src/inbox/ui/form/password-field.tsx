import { useState, type KeyboardEvent, type ReactNode } from 'react';
import { Button } from '../button.tsx';
import { classNames } from '../state/class-names.ts';
import { credentialTexts } from './credential-texts.ts';
import { FieldFrame } from './field.tsx';
import styles from './field.module.css';
import type { TextFieldProps } from './text-field.tsx';

export interface PasswordFieldProps extends Omit<TextFieldProps, 'type' | 'below'> {
  /** Content below the field, such as the strength of the password. */
  readonly below?: ReactNode;
}

export function PasswordField(props: PasswordFieldProps) {
  const { label, hint, error, below, className, onKeyUp, onBlur, ...input } = props;
  const texts = credentialTexts.use();
  const [shown, setShown] = useState(false);
  const [capsLock, setCapsLock] = useState(false);
  const action = shown ? texts.hidePassword : texts.showPassword;
  const readCapsLock = (event: KeyboardEvent) => setCapsLock(event.getModifierState('CapsLock'));
  return (
    <FieldFrame
      label={label}
      hint={hint}
      error={error}
      below={
        <>
          <p className={styles.caps} role="status">
            {capsLock && texts.capsLock}
          </p>
          {below}
        </>
      }
    >
      {(control) => (
        <>
          <input
            autoCapitalize="none"
            autoCorrect="off"
            spellCheck={false}
            {...input}
            {...control}
            type={shown ? 'text' : 'password'}
            className={classNames(styles.input, styles.withToggle, className)}
            onKeyUp={(event) => {
              readCapsLock(event);
              onKeyUp?.(event);
            }}
            onBlur={(event) => {
              setCapsLock(false);
              onBlur?.(event);
            }}
          />
          <Button
            look="quiet"
            className={styles.toggle}
            aria-label={action}
            aria-controls={control.id}
            title={action}
            onClick={() => setShown(!shown)}
          >
            <EyeIcon crossed={shown} />
          </Button>
        </>
      )}
    </FieldFrame>
  );
}

function EyeIcon({ crossed }: { readonly crossed: boolean }) {
  return (
    <svg
      width="20"
      height="20"
      viewBox="0 0 20 20"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.5"
      aria-hidden="true"
    >
      <path d="M1.5 10S4.5 4 10 4s8.5 6 8.5 6-3 6-8.5 6-8.5-6-8.5-6Z" strokeLinejoin="round" />
      <circle cx="10" cy="10" r="2.5" />
      {crossed && <path d="m3 17 14-14" strokeLinecap="round" />}
    </svg>
  );
}
