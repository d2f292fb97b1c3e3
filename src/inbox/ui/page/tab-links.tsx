import { Link } from 'wouter';
import { Badge } from '../badge.tsx';
import styles from './tab-links.module.css';

export interface TabLink {
  readonly href: string;
  readonly label: string;
  readonly current: boolean;
  /** Shown as a badge; put it into `name` too. */
  readonly count?: number;
  /** The accessible name, with the count in words. */
  readonly name?: string;
}

/** Views of one page as links with URLs, so that back, sharing and new tabs work. */
export function TabLinks({ label, tabs }: { readonly label: string; readonly tabs: readonly TabLink[] }) {
  return (
    <nav className={styles.tabs} aria-label={label}>
      {tabs.map((tab) => (
        <Link
          key={tab.href}
          href={tab.href}
          className={styles.tab}
          aria-current={tab.current ? 'page' : undefined}
          aria-label={tab.name}
        >
          {tab.label}
          {tab.count !== undefined && <Badge count={tab.count} quiet />}
        </Link>
      ))}
    </nav>
  );
}
