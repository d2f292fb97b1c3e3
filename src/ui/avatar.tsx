import type { ReactNode } from 'react';
import styles from './avatar.module.css';

/** The initials of a name or email address, or a glyph. Decorative: render the name beside it. */
export function Avatar({ name, children }: { readonly name: string; readonly children?: ReactNode }) {
  return (
    <span className={styles.avatar} aria-hidden="true">
      {children ?? initials(name)}
    </span>
  );
}

export function initials(name: string): string {
  const words = name
    .replace(/@.*/, '')
    .split(/[\s._-]+/)
    .filter(Boolean);
  return words
    .slice(0, 2)
    .map((word) => Array.from(word)[0])
    .join('');
}
