import { formatComingTime } from '../../../shared/coming-time.ts';
import { Button } from '../../../ui/button.tsx';
import { useLocale } from '../data/inbox-context.ts';
import styles from './time-choices.module.css';

export interface TimeChoice<AtMs> {
  readonly label: string;
  /** Milliseconds since the epoch; null: the choice has no time. */
  readonly atMs: AtMs;
}

export interface TimeChoicesProps<AtMs> {
  readonly choices: readonly TimeChoice<AtMs>[];
  /** The time from which the choices were computed, in milliseconds since the epoch. */
  readonly nowMs: number;
  readonly onChoose: (atMs: AtMs) => void;
}

/** Suggested times as buttons, each with its time beside it. */
export function TimeChoices<AtMs extends number | null>({
  choices,
  nowMs,
  onChoose,
}: TimeChoicesProps<AtMs>) {
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
