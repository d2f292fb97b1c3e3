import { useSyncExternalStore } from 'react';
import { useInboxServices, useLocale } from '../data/inbox-context.ts';
import { absoluteTime, relativeTime } from './relative-time.ts';

/** A moment as the reader thinks of it, with the exact time beside it. Every one of them ticks with one clock. */
export function TimeAgo({
  atMs,
  className,
}: {
  readonly atMs: number;
  readonly className?: string | undefined;
}) {
  const { minuteClock } = useInboxServices();
  const locale = useLocale();
  const nowMs = useSyncExternalStore(minuteClock.subscribe, minuteClock.getSnapshot);
  if (Number.isNaN(atMs)) return null;
  return (
    <time className={className} dateTime={new Date(atMs).toISOString()} title={absoluteTime(atMs, locale)}>
      {relativeTime(atMs, nowMs, locale)}
    </time>
  );
}
