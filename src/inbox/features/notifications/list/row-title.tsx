import { Fragment } from 'react';
import { classNames } from '../../../ui/state/class-names.ts';
import type { Notification } from '../model/notification.ts';
import { titleDirection, titleParts } from '../texts/notification-words.ts';
import { Highlight } from '../../../ui/list/highlight.tsx';
import styles from './notification-row.module.css';

export interface RowTitleProps {
  /** The headline of the notification, or of its thread. */
  readonly title: string;
  readonly notification: Notification;
  /** The words that the list is searched for. */
  readonly query?: string | undefined;
}

/** A headline whose names stand out: the actor's most, then the document's; the verb between them is quiet. */
export function RowTitle({ title, notification, query }: RowTitleProps) {
  const parts = titleParts(title, notification);
  // The last word matters, as a German verb does: it is not cut off.
  const isWhole = parts.length > 1 && parts.at(-1)?.role === 'verb';
  return (
    // Remounted for another title, because React cannot remove a text that a browser's translation has moved.
    <span
      key={title}
      className={classNames(styles.title, isWhole && styles.whole)}
      dir={titleDirection(notification)}
    >
      {parts.map(({ text, role }, place) => (
        // eslint-disable-next-line react/no-array-index-key -- the parts have their places only
        <Fragment key={place}>
          {/* The space is outside of the parts, because some browsers trim each part of an accessible name. */}
          {text.startsWith(' ') && ' '}
          <span className={styles[role]}>
            <Highlight text={text.trim()} query={query} />
          </span>
          {text.endsWith(' ') && ' '}
        </Fragment>
      ))}
    </span>
  );
}
