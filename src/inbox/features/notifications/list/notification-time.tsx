import { useSyncExternalStore } from 'react';
import { useInboxServices, useLocale } from '../data/inbox-context.ts';
import { absoluteTime, calendarTime, clockTime } from '../../../ui/list/relative-time.ts';

export interface NotificationTimeProps {
  readonly atMs: number;
  /** Whether the day is not said elsewhere, such as by a heading. */
  readonly withDay: boolean;
}

/** The time of a notification, with date and time as its tooltip. All of them tick with one clock. */
export function NotificationTime({ atMs, withDay }: NotificationTimeProps) {
  const { minuteClock } = useInboxServices();
  const locale = useLocale();
  const nowMs = useSyncExternalStore(minuteClock.subscribe, minuteClock.getSnapshot);
  if (Number.isNaN(atMs)) return null;
  return (
    <bdi>
      <time dateTime={new Date(atMs).toISOString()} title={absoluteTime(atMs, locale)}>
        {(withDay ? calendarTime : clockTime)(atMs, nowMs, locale)}
      </time>
    </bdi>
  );
}
