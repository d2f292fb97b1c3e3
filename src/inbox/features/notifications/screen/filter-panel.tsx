import { useEffect, useId, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { useRegisteredKinds } from '../../../shared/registered-kinds.ts';
import { buttonClass } from '../../../ui/button.tsx';
import { useInbox, useInboxSnapshot } from '../data/inbox-context.ts';
import { inboxHref, isFiltered, type NotificationFilter } from '../model/notification-filter.ts';
import type { Notification } from '../model/notification.ts';
import { inboxDialogTexts } from '../texts/inbox-dialog-texts.ts';
import { inboxTexts } from '../texts/inbox-texts.ts';
import { listKinds, personName } from './filter-options.ts';
import styles from './inbox.module.css';

/** The maximum number of people that the filter offers. */
const maxPeople = 12;

/** Narrows the list by type and person. The people are the recent ones; offline those of the loaded rows. */
export function FilterPanel({ filter }: { readonly filter: NotificationFilter }) {
  const texts = inboxTexts.use();
  const { person: personLabel } = inboxDialogTexts.use().filter;
  useRegisteredKinds();
  const { view, newest } = useInboxSnapshot();
  const inbox = useInbox();
  const [recent, setRecent] = useState<readonly Notification[]>([]);
  useEffect(() => void inbox.listRecentNames().then(setRecent), [inbox]);
  const rows = [...view.notifications, ...newest.notifications, ...recent];
  const senders = new Set([filter.person, ...rows.map((row) => row.senderId)]);
  const people = [...senders]
    .flatMap((id) => {
      const name = id && personName(rows, id);
      return id && name ? [[id, name] as const] : [];
    })
    .slice(0, maxPeople)
    .sort(([, one], [, other]) => one.localeCompare(other, texts.language));
  const { tab, query } = filter;
  return (
    <>
      <Choices part="kind" label={texts.kindsLabel} options={listKinds(texts)} filter={filter} />
      <Choices part="person" label={personLabel} options={people} filter={filter} />
      {isFiltered(filter) && (
        <Link className={buttonClass('link')} href={inboxHref({ tab, kind: null, query })} replace>
          {texts.showEverything}
        </Link>
      )}
    </>
  );
}

interface ChoicesProps {
  readonly part: 'kind' | 'person';
  readonly label: string;
  readonly options: readonly (readonly [value: string, name: string])[];
  readonly filter: NotificationFilter;
}

/** The values of one part of the filter, of which one can be chosen; a second click takes it back. */
function Choices({ part, label, options, filter }: ChoicesProps) {
  const id = useId();
  const [, navigate] = useLocation();
  if (options.length === 0) return null;
  return (
    <div role="group" aria-labelledby={id}>
      <p id={id}>{label}</p>
      <div className={styles.choices}>
        {options.map(([value, name]) => {
          const isOn = filter[part] === value;
          return (
            <button
              key={value}
              type="button"
              className={styles.choice}
              aria-pressed={isOn}
              onClick={() =>
                navigate(inboxHref({ ...filter, [part]: isOn ? null : value }), { replace: true })
              }
            >
              <bdi>{name}</bdi>
            </button>
          );
        })}
      </div>
    </div>
  );
}
