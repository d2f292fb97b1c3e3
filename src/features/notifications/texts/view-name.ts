import type { NotificationFilter } from '../model/notification-filter.ts';
import type { InboxTexts } from './notification-texts.en.ts';

/** The name of a list, for its heading and the title of the document: `Inbox`, `Unread`, `Archived · Edits`. */
export function viewName({ tab, kind }: NotificationFilter, texts: InboxTexts): string {
  const parts = [
    ...(tab === 'all' ? [] : [texts.tabs[tab]]),
    ...(kind === null || kind === 'other' ? [] : [texts.kinds[kind]]),
  ];
  return parts.length > 0 ? parts.join(' · ') : texts.title;
}
