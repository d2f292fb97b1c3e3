import { useSyncExternalStore } from 'react';
import { createObservable } from 'supabase-protocol-clients/platform';
import { VisuallyHidden } from '../visually-hidden.tsx';

interface Announcement {
  readonly status: string;
  readonly alert: string;
}

const announcements = createObservable<Announcement>({ status: '', alert: '' });

/**
 * Announces a text by the page's live regions.
 *
 * @param urgency `status` (default) waits for a pause, `alert` interrupts.
 */
export function announce(text: string, urgency: keyof Announcement = 'status'): void {
  const previous = announcements.getSnapshot();
  // Screen readers announce changes only: make a repeated text differ.
  const changed = previous[urgency] === text ? `${text}\u00A0` : text;
  announcements.set({ ...previous, [urgency]: changed });
}

/** The page's two live regions; mounted once, before any announcement. */
export function Announcer() {
  const { status, alert } = useSyncExternalStore(announcements.subscribe, announcements.getSnapshot);
  return (
    <VisuallyHidden>
      <span role="status">{status}</span>
      <span role="alert">{alert}</span>
    </VisuallyHidden>
  );
}
