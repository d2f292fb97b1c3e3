import { Link } from 'wouter';
import { Button } from '../../../ui/button.tsx';
import { Message } from '../../../ui/page/message.tsx';
import { useOnline } from '../../../ui/state/online.ts';
import { Skeleton } from '../../../ui/spinner.tsx';
import { VisuallyHidden } from '../../../ui/visually-hidden.tsx';
import { useInbox } from '../data/inbox-context.ts';
import type { InboxSnapshot } from '../data/inbox-store.ts';
import styles from './inbox.module.css';
import { inboxHref } from '../model/notification-filter.ts';
import { inboxTexts } from '../texts/notification-texts.ts';

/** What the reader should know about the list: above it, quiet, in a region that was there before. */
export function InboxNotices({ snapshot }: { readonly snapshot: InboxSnapshot }) {
  const texts = inboxTexts.use();
  const inbox = useInbox();
  const online = useOnline();
  const { problem, connection, view } = snapshot;
  return (
    <div role="status" className={styles.notices}>
      {problem?.type === 'read' && (online || !view.isLoaded) && (
        <Message tone={view.isLoaded ? 'warning' : 'error'}>
          {view.isLoaded ? texts.readFailedStale : texts.readFailed}{' '}
          <Button look="link" pending={snapshot.isReading} onClick={() => void inbox.refresh()}>
            {texts.retry}
          </Button>
        </Message>
      )}
      {connection === 'lost' && online && problem?.type !== 'read' && (
        <p className={styles.lost}>
          {texts.lost}{' '}
          <Button look="link" onClick={() => void inbox.refresh()}>
            {texts.lostReload}
          </Button>
        </p>
      )}
    </div>
  );
}

/** Below the list: more of it, its emptiness, or its place while it is on its way. */
export function InboxFoot({ snapshot }: { readonly snapshot: InboxSnapshot }) {
  const texts = inboxTexts.use();
  const inbox = useInbox();
  const { view, problem, isReading, isReadingMore } = snapshot;
  const { filter, notifications, hasMore, isLoaded } = view;
  if (!isLoaded) return problem ? null : <Placeholder />;
  if (hasMore && notifications.length === 0 && isReading) return <Placeholder />;
  if (hasMore)
    return (
      <div className={styles.foot}>
        <Button
          ref={prefetchNearby(inbox.prefetchMore)}
          pending={isReadingMore}
          onPointerEnter={inbox.prefetchMore}
          onFocus={inbox.prefetchMore}
          onClick={() => void inbox.loadMore()}
        >
          {texts.loadMore}
        </Button>
      </div>
    );
  if (notifications.length > 0) return null;
  return (
    <div className={styles.empty}>
      <p>{filter.kind ? texts.emptyKind : texts.empty[filter.tab]}</p>
      {filter.kind && <Link href={inboxHref({ ...filter, kind: null })}>{texts.showEverything}</Link>}
    </div>
  );
}

/** Fetches the next page when the end of the list comes near. */
function prefetchNearby(prefetch: () => void) {
  return (element: HTMLElement | null) => {
    if (!element || typeof IntersectionObserver === 'undefined') return;
    const observer = new IntersectionObserver(([entry]) => entry?.isIntersecting && prefetch(), {
      rootMargin: '600px',
    });
    observer.observe(element);
    return () => observer.disconnect();
  };
}

function Placeholder() {
  const texts = inboxTexts.use();
  return (
    <div>
      <VisuallyHidden>
        <span role="status">{texts.loading}</span>
      </VisuallyHidden>
      {Array.from({ length: 8 }, (_, index) => (
        <div key={index} className={styles.placeholder}>
          <Skeleton width="32px" height="32px" />
          <Skeleton width={`${40 + ((index * 17) % 40)}%`} />
        </div>
      ))}
    </div>
  );
}
