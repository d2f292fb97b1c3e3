import type { ReactNode } from 'react';
import styles from './badge.module.css';
import { classNames } from './state/class-names.ts';

/** A count, `99+` at most; nothing at 0. Hidden from assistive technology: put the count into the name of its control. */
export function Badge({ count, quiet = false }: { readonly count: number; readonly quiet?: boolean }) {
  if (count <= 0) return null;
  return (
    <span className={classNames(styles.badge, quiet && styles.quiet)} aria-hidden="true">
      {count > 99 ? '99+' : count}
    </span>
  );
}

/** An icon with a count at its corner. */
export function CountedIcon({ count, children }: { readonly count: number; readonly children: ReactNode }) {
  return (
    <span className={styles.counted}>
      {children}
      <Badge count={count} />
    </span>
  );
}
