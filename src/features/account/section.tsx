import { useId, type ReactNode, type Ref } from 'react';
import styles from './account.module.css';

export interface SectionProps {
  readonly title: string;
  readonly intro?: ReactNode;
  /** Takes the focus where a step ends and what had it goes. */
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
