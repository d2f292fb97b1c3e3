import { Link } from 'wouter';
import { Button, buttonClass } from '../../../ui/button.tsx';
import { useInboxServices, useInboxSnapshot } from '../data/inbox-context.ts';
import layout from '../../../ui/layout.module.css';
import styles from './inbox.module.css';
import { encodeFilter, inboxHref, type NotificationFilter } from '../model/notification-filter.ts';
import { paths } from '../../../shared/routes.ts';
import { inboxTexts } from '../texts/inbox-texts.ts';
import { SampleButton } from '../sample/sample-button.tsx';

export interface InboxEmptyProps {
  readonly filter: NotificationFilter;
  readonly onInvite: () => void;
}

/** An empty list: what it will contain, and what the user can do now. */
export function InboxEmpty({ filter, onInvite }: InboxEmptyProps) {
  const texts = inboxTexts.use();
  const { InviteDialog } = useInboxServices();
  const { tab, query } = filter;
  const { archived, snoozed } = useInboxSnapshot().counts;
  /** A person who has archived or snoozed everything is not a new user, and reads the text of "Unread". */
  const words = tab === 'all' && archived + snoozed > 0 ? 'unread' : tab;
  const isFiltered = encodeFilter({ ...filter, tab: 'all' }) !== '';
  const [title, hint] = query
    ? [texts.searchEmpty(query), texts.searchEmptyHint]
    : isFiltered
      ? [texts.emptyKind]
      : [texts.empty[words], texts.emptyHint[words]];
  return (
    <div className={styles.empty}>
      {!query && <EmptyIllustration />}
      <p className={styles.emptyTitle}>{title}</p>
      {hint && <p>{hint}</p>}
      <div className={layout.row}>
        {isFiltered && (
          <Link
            className={buttonClass()}
            href={inboxHref(query ? { ...filter, query: undefined } : { tab, kind: null })}
          >
            {query ? texts.clearSearch : texts.showEverything}
          </Link>
        )}
        {!isFiltered && words === 'all' && (
          <>
            {InviteDialog && <Button onClick={onInvite}>{texts.inviteSomeone}</Button>}
            <Link className={buttonClass()} href={paths.preferences}>
              {texts.choosePreferences}
            </Link>
            {SampleButton && <SampleButton />}
          </>
        )}
      </div>
    </div>
  );
}

/** An open tray with a sparkle. Decorative. */
function EmptyIllustration() {
  return (
    <svg
      className={styles.illustration}
      width="120"
      height="96"
      viewBox="0 0 120 96"
      fill="none"
      stroke="var(--color-accent)"
      strokeWidth="2"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      <ellipse cx="60" cy="88" rx="44" ry="5" fill="var(--color-surface)" stroke="none" />
      <path d="M22 52 36 26h48l14 26v26a6 6 0 0 1-6 6H28a6 6 0 0 1-6-6V52Z" fill="var(--color-unread)" />
      <path d="M22 52h22l5 10h22l5-10h22" fill="var(--color-bg)" />
      <path d="M60 4v12M54 10h12M92 10v8m-4-4h8M30 14v6m-3-3h6" stroke="var(--color-mention)" />
    </svg>
  );
}
