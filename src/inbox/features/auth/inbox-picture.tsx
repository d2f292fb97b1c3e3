import styles from './auth-page.module.css';

/** Center of the avatar, its color, and the widths of the two lines of each row. */
const rows = [
  [76, '--color-mention', 168, 112],
  [140, '--color-comment', 132, 176],
  [204, '--color-invite', 188, 88],
  [268, '--color-edit', 148, 140],
] as const;

/** A calm picture of the inbox beside the form, on wide screens: decorative. */
export function InboxPicture() {
  return (
    <div className={styles.picture} aria-hidden="true">
      <svg viewBox="0 0 400 320">
        <rect className={styles.sheet} x="40" y="12" width="320" height="280" rx="14" opacity="0.5" />
        <rect className={styles.sheet} x="24" y="28" width="352" height="284" rx="14" />
        <rect x="24.5" y="44" width="351" height="64" fill="var(--color-unread)" />
        <circle cx="348" cy="76" r="4.5" fill="var(--color-accent)" />
        {rows.map(([y, color, first, second]) => (
          <g key={y}>
            <circle cx="64" cy={y} r="16" fill={`var(${color})`} opacity="0.18" />
            <circle cx="64" cy={y} r="6" fill={`var(${color})`} />
            <rect className={styles.line} x="96" y={y - 12} width={first} height="8" rx="4" />
            <rect className={styles.faintLine} x="96" y={y + 5} width={second} height="8" rx="4" />
          </g>
        ))}
      </svg>
    </div>
  );
}
