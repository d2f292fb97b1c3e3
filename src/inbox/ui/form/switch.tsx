import { useId, type ReactNode } from 'react';
import styles from './switch.module.css';

export interface SwitchProps {
  /** Must not change with the state, which the switch itself exposes. */
  readonly label: ReactNode;
  readonly checked: boolean;
  readonly onChange: (checked: boolean) => void;
  readonly hint?: ReactNode;
  readonly disabled?: boolean;
}

export function Switch({ label, checked, onChange, hint, disabled = false }: SwitchProps) {
  const id = useId();
  return (
    <label className={styles.row} htmlFor={id}>
      <span className={styles.text}>
        <span id={`${id}-label`}>{label}</span>
        {hint && (
          <span className={styles.hint} id={`${id}-hint`}>
            {hint}
          </span>
        )}
      </span>
      <input
        id={id}
        type="checkbox"
        // eslint-disable-next-line jsx-a11y/role-has-required-aria-props -- a native checkbox exposes its state itself
        role="switch"
        className={styles.switch}
        checked={checked}
        disabled={disabled}
        // The hint, in the same label for the sake of clicks, is the description and not a part of the name.
        aria-labelledby={`${id}-label`}
        aria-describedby={hint ? `${id}-hint` : undefined}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
    </label>
  );
}
