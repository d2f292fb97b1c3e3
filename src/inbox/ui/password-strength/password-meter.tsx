import styles from './password-meter.module.css';
import { estimateStrength } from './password-strength.ts';

export interface PasswordMeterProps {
  readonly password: string;
  /** Texts that a guesser knows, such as the email address. */
  readonly own: readonly string[];
  /** What the levels measure. */
  readonly label: string;
  readonly levels: readonly string[];
}

/** Four bars and a word; the word is announced politely. */
export function PasswordMeter({ password, own, label, levels }: PasswordMeterProps) {
  const level = estimateStrength(password, own);
  const look = level < 2 ? 'weak' : level < 3 ? 'fair' : 'good';
  return (
    <div className={styles.meter}>
      <div className={styles.bars} aria-hidden="true">
        {[1, 2, 3, 4].map((bar) => (
          <span key={bar} className={styles.bar} data-on={bar <= Math.max(1, level) ? look : undefined} />
        ))}
      </div>
      <p role="status">
        <span>{`${label}: ${levels[level] ?? ''}`}</span>
      </p>
    </div>
  );
}
