import { formatComingTime } from '../../../shared/coming-time.ts';
import { Button } from '../../../ui/button.tsx';
import { useLocale } from '../data/inbox-context.ts';
import styles from './time-choices.module.css';

export interface TimeChoicesProps {
  /** `atMs`: milliseconds since the epoch; null: the choice has no time. */
  readonly choices: readonly { readonly label: string; readonly atMs: number | null }[];
  /** The time from which the choices were computed, in milliseconds since the epoch. */
  readonly nowMs: number;
  readonly onChoose: (atMs: number | null) => void;
}

/** Suggested times as buttons, each with its time beside it. */
export function TimeChoices({ choices, nowMs, onChoose }: TimeChoicesProps) {
  const locale = useLocale();
  return (
    <div className={styles.choices} data-choices="">
      {choices.map(({ label, atMs }) => (
        <Button key={label} look="quiet" wide className={styles.choice} onClick={() => onChoose(atMs)}>
          <span>{label}</span>
          {atMs !== null && <span className={styles.time}>{formatComingTime(atMs, nowMs, locale)}</span>}
        </Button>
      ))}
    </div>
  );
}
