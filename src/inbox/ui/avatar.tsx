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

/** The first letters of two words; the first character of a name without letters and digits. */
export function initials(name: string): string {
  const letters = name
    .replace(/@.*/, '')
    .split(/[\s._-]+/)
    .flatMap((word) => /[\p{L}\p{N}]/u.exec(word)?.[0] ?? []);
  return letters.slice(0, 2).join('') || (Array.from(name.trim())[0] ?? '');
}
