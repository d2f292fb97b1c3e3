import { navigate } from 'wouter/use-browser-location';
import { goBackKeepingOverlays } from '../../../ui/overlay/history-navigation.ts';
import { parseOpenId } from '../model/notification-filter.ts';

interface DetailState {
  /** Whether the history entry before this one is the list that the detail was opened from. */
  readonly isAboveList?: unknown;
}

/** Whether `history.back()` was called and has not taken effect. */
let isClosing = false;

let takesFocus = false;

/**
 * Opens the detail in a new history entry; an open detail shows the notification in the same entry.
 *
 * @param isByKey whether a key opened it: then the detail takes the focus, and its keys work there.
 */
export function openDetail(href: string, isByKey = false): void {
  if (isClosing) return addEventListener('popstate', () => openDetail(href, isByKey), { once: true });
  takesFocus = isByKey;
  // The detail of this notification is open already.
  if (location.href.endsWith(href))
    return focusOpenedDetail(document.querySelector('[data-detail-panel] h2'));
  const isOpen = parseOpenId(location.search) !== null;
  navigate(href, isOpen ? { replace: true, state: history.state } : { state: { isAboveList: true } });
}

/** Moves the focus to the heading of a detail that was opened by a key. */
export function focusOpenedDetail(heading: HTMLElement | null): void {
  if (takesFocus) heading?.focus();
  takesFocus = false;
}

/**
 * Closes the detail: goes back to the list that it was opened from, so that no entry is left that shows the detail again.
 * A detail that was opened by a link from elsewhere has no such entry; the list replaces it.
 */
export function closeDetail(listHref: string): void {
  const state: DetailState | null = history.state;
  if (state?.isAboveList !== true) return navigate(listHref, { replace: true });
  // A second call before the first takes effect would leave the list.
  if (isClosing) return;
  isClosing = true;
  // A navigation meanwhile, the router's event `pushState`, may cancel going back.
  for (const type of ['popstate', 'pushState'])
    addEventListener(type, () => (isClosing = false), { once: true });
  // Keep open what opens meanwhile, such as the menu of an action that closes the detail.
  goBackKeepingOverlays();
}
