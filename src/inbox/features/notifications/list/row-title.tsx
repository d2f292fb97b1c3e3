import { classNames } from '../../../ui/state/class-names.ts';
import type { Notification } from '../model/notification.ts';
import { listTitle, titleDirection } from '../texts/notification-words.ts';
import { Highlight } from '../search/highlight.tsx';
import styles from './notification-row.module.css';

export interface RowTitleProps {
  /** The headline of the notification, or of its group. */
  readonly title: string;
  readonly notification: Notification;
  /** The words that the list is searched for. */
  readonly query: string | undefined;
}

/** The headline of a row. */
export function RowTitle({ title, notification, query }: RowTitleProps) {
  const { text, isWhole } = listTitle(title, notification);
  return (
    <span className={classNames(styles.title, isWhole && styles.whole)} dir={titleDirection(notification)}>
      <HighlightedText text={text} query={query} />
    </span>
  );
}

/** A text with the words of the query marked, if there is a query. */
export function HighlightedText({
  text,
  query,
}: {
  readonly text: string;
  readonly query: string | undefined;
}) {
  if (query) return <Highlight text={text} query={query} />;
  // An element, since React could not remove a text that a browser's translation has moved.
  return <span>{text}</span>;
}
