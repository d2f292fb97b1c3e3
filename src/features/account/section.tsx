import { useId, type ReactNode, type Ref } from 'react';
import styles from './account.module.css';

export interface SectionProps {
  readonly title: string;
  readonly intro?: ReactNode;
  /** Receives the focus when a step ends and its focused control is removed. */
  readonly headingRef?: Ref<HTMLHeadingElement>;
  readonly children: ReactNode;
}

export function Section({ title, intro, headingRef, children }: SectionProps) {
  const id = useId();
  return (
    <section className={styles.section} aria-labelledby={id}>
      <h2 ref={headingRef} id={id} tabIndex={-1}>
        {title}
      </h2>
      {intro && <p className={styles.intro}>{intro}</p>}
      {children}
    </section>
  );
}
