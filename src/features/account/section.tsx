import { useId, type ReactNode } from 'react';
import styles from './account.module.css';

export interface SectionProps {
  readonly title: string;
  readonly intro?: ReactNode;
  readonly children: ReactNode;
}

export function Section({ title, intro, children }: SectionProps) {
  const id = useId();
  return (
    <section className={styles.section} aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {intro && <p className={styles.intro}>{intro}</p>}
      {children}
    </section>
  );
}
