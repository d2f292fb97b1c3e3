import { useCallback, useEffect, useRef, useSyncExternalStore } from 'react';
import styles from './account.module.css';

export interface SectionNavigationProps {
  readonly label: string;
  readonly sections: readonly (readonly [id: string, title: string])[];
}

/** How much of the previous link stays visible in a scrolled row. */
const linkMarginPx = 32;

/** Links to the sections of the page, beside them or, on narrow screens, above them. */
export function SectionNavigation({ label, sections }: SectionNavigationProps) {
  const current = useCurrentSection(sections.map(([id]) => id).join(' '));
  const nav = useRef<HTMLElement>(null);
  useEffect(() => {
    const link = nav.current?.querySelector(`[href="#${current}"]`);
    if (nav.current && link instanceof HTMLElement) nav.current.scrollLeft = link.offsetLeft - linkMarginPx;
  }, [current]);
  return (
    <nav ref={nav} className={styles.nav} aria-label={label}>
      {sections.map(([id, title]) => (
        <a key={id} href={`#${id}`} aria-current={id === current ? 'location' : undefined}>
          {title}
        </a>
      ))}
    </nav>
  );
}

/** The section that is being read. @param ids separated by spaces */
function useCurrentSection(ids: string): string | undefined {
  const subscribe = useCallback((listener: () => void) => {
    const events = ['scroll', 'resize', 'hashchange'];
    for (const event of events) addEventListener(event, listener, { passive: true });
    return () => {
      for (const event of events) removeEventListener(event, listener);
    };
  }, []);
  return useSyncExternalStore(subscribe, () => findCurrentSection(ids.split(' ')));
}

/**
 * The last section that begins in the upper third of the window, or the last of all at the end of the page; before it the one that the
 * URL names, while it begins on the screen.
 */
function findCurrentSection(ids: readonly string[]): string | undefined {
  const topOf = (id: string) => document.getElementById(id)?.getBoundingClientRect().top ?? Infinity;
  const named = ids.find((id) => location.hash === `#${id}`);
  if (named !== undefined && topOf(named) >= 0 && topOf(named) < innerHeight * 0.8) return named;
  const { scrollHeight } = document.documentElement;
  if (scrollY > 0 && scrollY + innerHeight >= scrollHeight - 1) return ids.at(-1);
  return ids.findLast((id) => topOf(id) < innerHeight / 3) ?? ids[0];
}
