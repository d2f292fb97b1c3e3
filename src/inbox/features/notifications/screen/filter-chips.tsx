import { Link } from 'wouter';
import { buttonClass } from '../../../ui/button.tsx';
import { CloseIcon } from '../../../ui/icons.tsx';
import { useInboxSnapshot } from '../data/inbox-context.ts';
import { inboxHref, type NotificationFilter } from '../model/notification-filter.ts';
import { inboxTexts } from '../texts/inbox-texts.ts';
import { kindsName } from '../texts/notification-words.ts';
import { personName, placeName } from './filter-options.ts';
import styles from './inbox.module.css';

export interface FilterChipsProps {
  readonly filter: NotificationFilter;
}

/** The active filters, each as a link to the list without it. */
export function FilterChips({ filter }: FilterChipsProps) {
  const texts = inboxTexts.use();
  const { view, newest } = useInboxSnapshot();
  const { tab, kind, person, place, query } = filter;
  const rows = [...view.notifications, ...newest.notifications];
  const names = {
    kind: kind && kindsName(kind, texts),
    person: person && (personName(rows, person) ?? texts.someone),
    place: place && (placeName(rows, place) ?? texts.something(null, 'object')),
  };
  const chips = Object.entries(names).flatMap(([part, name]) => (name ? [{ part, name }] : []));
  if (chips.length === 0) return null;
  return (
    <div role="group" className={styles.chips} aria-label={texts.filter}>
      {chips.map(({ part, name }) => (
        <Link
          key={part}
          className={styles.chip}
          href={inboxHref({ ...filter, [part]: undefined })}
          aria-label={texts.removeFilter(name)}
          title={texts.removeFilter(name)}
        >
          <bdi>{name}</bdi>
          <CloseIcon size={14} />
        </Link>
      ))}
      {chips.length > 1 && (
        <Link className={buttonClass('link')} href={inboxHref({ tab, kind: null, query })}>
          {texts.showEverything}
        </Link>
      )}
    </div>
  );
}
