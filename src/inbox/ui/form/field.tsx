import { useId, type ReactNode } from 'react';
import styles from './field.module.css';
import { WarningIcon } from '../page/message.tsx';

export interface FieldFrameProps {
  readonly label: ReactNode;
  /** Part of the field's accessible description. */
  readonly hint?: ReactNode;
  /** What is wrong with the value and how to fix it. */
  readonly error?: string | undefined;
  /** Further text below, not part of the description. */
  readonly below?: ReactNode;
  readonly children: (control: FieldControl) => ReactNode;
}

export interface FieldControl {
  readonly id: string;
  readonly 'aria-invalid': true | undefined;
  readonly 'aria-describedby': string | undefined;
}

export function FieldFrame({ label, hint, error, below, children }: FieldFrameProps) {
  const id = useId();
  const describedBy = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ');
  return (
    <div className={styles.field}>
      <label className={styles.label} htmlFor={id}>
        {label}
      </label>
      {hint && (
        <p className={styles.hint} id={`${id}-hint`}>
          {hint}
        </p>
      )}
      <div className={styles.control}>
        {children({
          id,
          'aria-invalid': error ? true : undefined,
          'aria-describedby': describedBy || undefined,
        })}
      </div>
      {error && (
        <p className={styles.error} id={`${id}-error`}>
          <WarningIcon />
          <span>{error}</span>
        </p>
      )}
      {below}
    </div>
  );
}
