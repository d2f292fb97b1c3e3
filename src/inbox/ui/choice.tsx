import type { ReactNode } from 'react';
import styles from './choice.module.css';

export interface ChoiceProps<Value extends string> {
  readonly label: ReactNode;
  readonly value: Value;
  /** Value and name of each option. */
  readonly options: readonly (readonly [Value, string])[];
  readonly onChange: (value: Value) => void;
  readonly disabled?: boolean;
}

/** A native select with its label. */
export function Choice<Value extends string>({
  label,
  value,
  options,
  onChange,
  disabled,
}: ChoiceProps<Value>) {
  return (
    <label className={styles.choice}>
      <span>{label}</span>
      <select
        className={styles.select}
        value={value}
        disabled={disabled}
        onChange={({ currentTarget }) => {
          const chosen = options.find(([option]) => option === currentTarget.value);
          if (chosen) onChange(chosen[0]);
        }}
      >
        {options.map(([option, name]) => (
          <option key={option} value={option}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}
