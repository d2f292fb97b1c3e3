import { useId, type ReactNode, type Ref } from 'react';
import styles from './section.module.css';

export interface SectionProps {
  /** The fragment of the URL that leads to this section. */
  readonly id?: string;
  readonly title: string;
  readonly intro?: ReactNode;
  /** Receives the focus when a step ends and its focused control is removed. */
  readonly headingRef?: Ref<HTMLHeadingElement>;
  readonly children: ReactNode;
}

/** A card with a heading: one subject of a page of settings. */
export function Section({ id, title, intro, headingRef, children }: SectionProps) {
  const headingId = useId();
  return (
    <section id={id} className={styles.section} aria-labelledby={headingId}>
      <h2 ref={headingRef} id={headingId} tabIndex={-1}>
        {title}
      </h2>
      {intro && <p className={styles.intro}>{intro}</p>}
      {children}
    </section>
  );
}
