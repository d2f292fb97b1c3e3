import type { ReactNode } from 'react';
import styles from './narrow-page.module.css';
import { productName } from './page-title.ts';

export interface NarrowPageProps {
  /** Whether it is inside a page that has a logo and a `main`. Default: false. */
  readonly isPart?: boolean;
  readonly children: ReactNode;
}

/** A single column with the logo on top, for auth screens and error pages. */
export function NarrowPage({ isPart = false, children }: NarrowPageProps) {
  if (isPart) return <div className={styles.page}>{children}</div>;
  return (
    <main id="content" className={styles.page}>
      <Logo />
      {children}
    </main>
  );
}

export function Logo() {
  return (
    <span className={styles.logo}>
      <svg width="24" height="24" viewBox="0 0 32 32" aria-hidden="true">
        <rect width="32" height="32" rx="8" fill="var(--color-accent)" />
        <path
          d="M6 18 10 8h12l4 10v7H6v-7Zm0 0h6l1.5 3h5L20 18h6"
          fill="none"
          stroke="var(--color-on-accent)"
          strokeWidth="2.2"
          strokeLinejoin="round"
        />
      </svg>
      {productName}
    </span>
  );
}
