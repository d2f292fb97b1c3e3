import { useSyncExternalStore } from 'react';
import { createStore } from '../state/store.ts';
import { VisuallyHidden } from '../visually-hidden.tsx';

interface Announcement {
  readonly status: string;
  readonly alert: string;
}

const announcements = createStore<Announcement>({ status: '', alert: '' });

/**
 * Speaks a text through the page's own live regions.
 *
 * @param urgency `status` (default) waits for a pause, `alert` interrupts.
 */
export function announce(text: string, urgency: keyof Announcement = 'status'): void {
  const previous = announcements.getSnapshot();
  // The same words twice are two pieces of news only if the region changes.
  const changed = previous[urgency] === text ? `${text}\u00A0` : text;
  announcements.set({ ...previous, [urgency]: changed });
}

/** The page's two live regions; mounted once, before anything can be said. */
export function Announcer() {
  const { status, alert } = useSyncExternalStore(announcements.subscribe, announcements.getSnapshot);
  return (
    <VisuallyHidden>
      <span role="status">{status}</span>
      <span role="alert">{alert}</span>
    </VisuallyHidden>
  );
}
