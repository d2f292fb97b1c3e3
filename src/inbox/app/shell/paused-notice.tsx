import { useEffect, useState, useSyncExternalStore } from 'react';
import { Link } from 'wouter';
import { useInboxSnapshot } from '../../features/notifications/data/inbox-context.ts';
import type { PreferencesStore } from '../../features/preferences/data/preferences-store.ts';
import { paths } from '../../shared/routes.ts';
import { Message } from '../../ui/page/message.tsx';
import { appTexts } from '../app-texts.ts';
import { useUserData } from '../data/user-data-context.ts';

/** Shows above the list that in-app notifications are off, so that nothing new arrives. */
export function PausedNotice() {
  const { openCache } = useUserData();
  const [store, setStore] = useState<PreferencesStore | null>(null);
  useEffect(() => {
    let isMounted = true;
    openCache().then(
      ({ preferences }) => isMounted && setStore(preferences),
      // The list, which also opens the cache, reports the failure.
      () => undefined,
    );
    return () => {
      isMounted = false;
    };
  }, [openCache]);
  return store && <KnownPausedNotice store={store} />;
}

/**
 * How long nothing newer may arrive before notifications may be paused. Only then are preferences read that this device
 * lacks.
 */
const quietMs = 24 * 60 * 60_000;

function KnownPausedNotice({ store }: { readonly store: PreferencesStore }) {
  const texts = appTexts.use();
  const { isVerified, newest } = useInboxSnapshot();
  const newestAtMs = newest.notifications[0]?.createdAtMs ?? 0;
  const [openedAtMs] = useState(() => Date.now());
  const isQuiet = isVerified && openedAtMs - newestAtMs > quietMs;
  const isPaused = () => store.getSnapshot().preferences?.enable_in_app_notifications === false;
  // A subscription keeps the row fresh, which costs requests.
  const isShown = useSyncExternalStore(isQuiet || isPaused() ? store.subscribe : subscribeNever, isPaused);
  useEffect(() => {
    if (isQuiet) store.ensure();
  }, [isQuiet, store]);
  return (
    isShown && (
      <Message tone="info">
        <span>{texts.paused}</span> <Link href={paths.preferences}>{texts.preferences}</Link>
      </Message>
    )
  );
}

const subscribeNever = () => () => undefined;
