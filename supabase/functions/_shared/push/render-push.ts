import { readMailItem } from '../mail/mail-item.ts';
import { mailTextsOf } from '../mail/mail-texts.ts';
import type { QueuedPushMessage } from './queued-push-message.ts';

/** What the service worker receives (src/inbox/service-worker/push-message.ts). Its texts are the same as in a mail. */
export interface PushPayload {
  readonly title: string;
  readonly body: string;
  /** BCP 47, of title and body. */
  readonly language: string;
  /** A later message with the same tag replaces the alert. */
  readonly tag: string;
  readonly path: string;
  readonly unreadCount: number;
}

export function renderPush({
  newest,
  language,
  item_count: itemCount,
  unread_count: unreadCount,
}: QueuedPushMessage): PushPayload {
  const texts = mailTextsOf(language);
  const item = readMailItem(newest, '');
  return {
    title: texts.instantSubject(item, itemCount),
    body: item.text ?? '',
    language: texts.language,
    tag: newest.id,
    path: itemCount === 1 ? item.url : '/home',
    unreadCount,
  };
}
