import { useSyncExternalStore } from 'react';
import { absoluteTime, clockTime, shortTime } from '../../../ui/list/relative-time.ts';
import { useInboxServices, useLocale } from '../data/inbox-context.ts';

export interface RowTimeProps {
  readonly atMs: number;
  /** Whether a heading above names its day. */
  readonly isDayNamed?: boolean;
}

/** The time of a notification, with date and time as its tooltip. */
export function RowTime({ atMs, isDayNamed = false }: RowTimeProps) {
  // All times tick with one clock.
  const { minuteClock } = useInboxServices();
  const locale = useLocale();
  const nowMs = useSyncExternalStore(minuteClock.subscribe, minuteClock.getSnapshot);
  if (Number.isNaN(atMs)) return null;
  return (
    <bdi>
      <time dateTime={new Date(atMs).toISOString()} title={absoluteTime(atMs, locale)}>
        {isDayNamed ? clockTime(atMs, locale) : shortTime(atMs, nowMs, locale)}
      </time>
    </bdi>
  );
}
