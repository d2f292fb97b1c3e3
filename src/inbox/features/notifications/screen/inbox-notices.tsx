import { useEffect, useRef } from 'react';
import { Button } from '../../../ui/button.tsx';
import { Message } from '../../../ui/page/message.tsx';
import { useOnline } from '../../../ui/state/online.ts';
import { useDelay } from '../../../ui/state/use-delay.ts';
import { Skeleton } from '../../../ui/spinner.tsx';
import { VisuallyHidden } from '../../../ui/visually-hidden.tsx';
import { useInbox, useInboxServices, useListAge } from '../data/inbox-context.ts';
import type { InboxSnapshot } from '../data/inbox-store.ts';
import { encodeFilter } from '../model/notification-filter.ts';
import { InboxEmpty } from './inbox-empty.tsx';
import styles from './inbox.module.css';
import { inboxTexts } from '../texts/inbox-texts.ts';

/** A read that takes longer than this shows a message. */
const slowMs = 2_000;

/** Messages about the state of the list, in a live region that is always mounted. */
export function InboxNotices({ snapshot }: { readonly snapshot: InboxSnapshot }) {
  const texts = inboxTexts.use();
  const inbox = useInbox();
  const online = useOnline();
  const { PausedNotice } = useInboxServices();
  const age = useListAge();
  const { problem, status, isLost, view, newest, isReading } = snapshot;
  const isSlow = useDelay(isReading && problem === null, slowMs);
  const failure = view.filter.query
    ? texts.searchFailed
    : online
      ? texts.readFailed
      : newest.isLoaded
        ? texts.listNotSaved
        : texts.noCopy;
  return (
    <div role="status" className={styles.notices}>
      <PausedNotice />
      {problem !== null && (online || !view.isLoaded) && (
        <Message tone={age === null ? 'error' : 'warning'}>
          <span>{age === null ? failure : texts.readFailedStale(age)}</span>{' '}
          {online && (
            <Button look="link" pending={isReading} onClick={() => void inbox.refresh()}>
              {texts.retry}
            </Button>
          )}
        </Message>
      )}
      {isSlow && online && <p className={styles.lost}>{texts.stillLoading}</p>}
      {(isLost || status === 'failed') && online && problem === null && (
        <p className={styles.lost}>
          <span>{texts.lost}</span>{' '}
          <Button look="link" onClick={() => void inbox.refresh()}>
            {texts.lostReload}
          </Button>
        </p>
      )}
    </div>
  );
}

export interface InboxFooterProps {
  readonly snapshot: InboxSnapshot;
  readonly onInvite: () => void;
}

/** Below the list: the next page, the empty state, or placeholders while it loads. */
export function InboxFooter({ snapshot, onInvite }: InboxFooterProps) {
  const inbox = useInbox();
  const { FirstVisit } = useInboxServices();
  const { view, counts, problem, isReading, isReadingMore } = snapshot;
  const { filter, notifications, hasMore, isLoaded } = view;
  if (!isLoaded) return problem !== null ? null : <Placeholder />;
  const isEmpty = notifications.length === 0;
  if (hasMore && isEmpty && (isReading || isReadingMore)) return <Placeholder />;
  // After an action on the whole list its older pages are empty too, though the page has not read them.
  if (hasMore && !(isEmpty && counts[filter.tab] === 0))
    return <NextPage pending={isReadingMore} loadedCount={notifications.length} onLoad={inbox.loadMore} />;
  return (
    <>
      {isEmpty && <InboxEmpty filter={filter} onInvite={onInvite} />}
      {encodeFilter(filter) === '' && <FirstVisit />}
    </>
  );
}

interface NextPageProps {
  readonly pending: boolean;
  readonly loadedCount: number;
  readonly onLoad: () => void;
}

/** The button of the next page. It is also read when its button is visible, because a short list cannot be scrolled. */
function NextPage({ pending, loadedCount, onLoad }: NextPageProps) {
  const texts = inboxTexts.use();
  const foot = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // Observes again after each page, which may be too short to fill the window.
    if (!foot.current || loadedCount === 0 || typeof IntersectionObserver === 'undefined') return undefined;
    const observer = new IntersectionObserver(([entry]) => entry?.isIntersecting && onLoad());
    observer.observe(foot.current);
    return () => observer.disconnect();
  }, [loadedCount, onLoad]);
  return (
    <div ref={foot} className={styles.foot}>
      <Button pending={pending} onClick={onLoad}>
        {texts.loadMore}
      </Button>
    </div>
  );
}

function Placeholder() {
  const texts = inboxTexts.use();
  return (
    <div>
      <VisuallyHidden>
        <span role="status">{texts.loading}</span>
      </VisuallyHidden>
      <div className={styles.placeholderDay}>
        <Skeleton width="64px" height="10px" />
      </div>
      {Array.from({ length: 8 }, (_, index) => (
        <div key={index} className={styles.placeholder}>
          <Skeleton width="32px" height="32px" />
          <span>
            <Skeleton width={`${40 + ((index * 17) % 40)}%`} height="12px" />
            <Skeleton width={`${30 + ((index * 29) % 50)}%`} height="10px" />
          </span>
          <Skeleton width="56px" height="10px" />
        </div>
      ))}
    </div>
  );
}
