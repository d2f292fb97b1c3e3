import { useId, type ReactNode } from 'react';
import styles from './switch.module.css';
import { VisuallyHidden } from '../visually-hidden.tsx';

export interface SwitchProps {
  /** Must not change with the state, which the switch itself exposes. */
  readonly label: ReactNode;
  readonly checked: boolean;
  readonly onChange: (checked: boolean) => void;
  readonly hint?: ReactNode;
  readonly disabled?: boolean;
  /** Show the label to assistive technology only, as in a table whose headings name the switch. */
  readonly labelHidden?: boolean;
}

export function Switch({
  label,
  checked,
  onChange,
  hint,
  disabled = false,
  labelHidden = false,
}: SwitchProps) {
  const id = useId();
  return (
    <label className={styles.row} htmlFor={id}>
      <span className={labelHidden ? undefined : styles.text}>
        {labelHidden ? <VisuallyHidden>{label}</VisuallyHidden> : <span>{label}</span>}
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
        aria-describedby={hint ? `${id}-hint` : undefined}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
    </label>
  );
}
