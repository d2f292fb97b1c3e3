import { useId } from 'react';
import { useLocale } from '../data/inbox-context.ts';
import { dayLabel, liftedDay } from '../model/day-groups.ts';
import { inboxTexts } from '../texts/inbox-texts.ts';
import type { RowsProps } from './list-handle.ts';
import type { DaySection } from './list-items.ts';
import styles from './notification-list.module.css';
import { NotificationRow } from './notification-row.tsx';

export interface DaySectionsProps extends RowsProps {
  readonly sections: readonly DaySection[];
  /** Called with each element of the list, for a list that measures them. */
  readonly measure?: (element: Element | null) => void;
}

/** The rendered days, each with its heading and rows. */
export function DaySections({
  sections,
  measure,
  filter,
  onAction,
  selected,
  openId,
  size,
  onToggleGroup,
}: DaySectionsProps) {
  const id = useId();
  const locale = useLocale();
  const texts = inboxTexts.use();
  return sections.map(({ group, heading, rows, skippedPx }) => (
    <section key={group.day} aria-labelledby={`${id}-${group.day}`}>
      <h2 ref={measure} data-index={heading.index} id={`${id}-${group.day}`} className={styles.day}>
        {group.day === liftedDay ? texts.needsYou : dayLabel(group, locale)}
      </h2>
      <ul style={{ paddingBlockStart: skippedPx }}>
        {rows.map(({ entry, position, index }) => {
          const shared = { ...(measure && { ref: measure }), index, position, size };
          return (
            <NotificationRow
              {...shared}
              key={entry.id}
              entry={entry}
              filter={filter}
              onAction={onAction}
              onToggle={onToggleGroup}
              selectedCount={selected && entry.notifications.filter((row) => selected.has(row.id)).length}
              isOpen={entry.id === openId}
            />
          );
        })}
      </ul>
    </section>
  ));
}
