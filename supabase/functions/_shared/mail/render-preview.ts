import * as z from 'zod/mini';
import { renderPush } from '../push/render-push.ts';
import { readMailItem } from './mail-item.ts';
import { mailTextsOf } from './mail-texts.ts';
import { itemWordsSchema } from './queued-mail.ts';
import { renderMail } from './render-mail.ts';
import type { MailSettings } from './render-mail.ts';

/** What a dry run of `send_notifications` returns for a message. */
export const previewSchema = z.object({
  /** The content of its notifications: {type, metadata, entity_type, entity_id, data}. */
  content: z.looseObject({ type: z.string() }),
  /** The words of a registered kind, by language; null for a kind of the application. */
  words: z.nullable(z.record(z.string(), itemWordsSchema)),
});

/** The texts of a message in one language. */
export interface MessagePreview {
  /** In the inbox. */
  readonly row: { readonly title: string; readonly text: string | null };
  /** The mail to a recipient who gets it at once. */
  readonly mail: { readonly subject: string; readonly text: string; readonly html: string };
  readonly push: { readonly title: string; readonly body: string };
}

/** The application's own languages, which a message without a registered kind has. */
const ownLanguages = ['de', 'en'];

/** Renders a message by language, with the code that renders mails and push messages. The links of the mail lead nowhere. */
export function renderPreview(
  { content, words }: z.infer<typeof previewSchema>,
  settings: MailSettings,
  nowMs: number,
): Readonly<Record<string, MessagePreview>> {
  const createdAt = new Date(nowMs).toISOString();
  const render = (language: string): MessagePreview => {
    const item = {
      id: 'preview',
      kind: content.type,
      content,
      created_at: createdAt,
      is_in_inbox: true,
      words: words?.[language] ?? null,
    };
    const mail = renderMail(
      {
        id: 'preview',
        lease: '',
        topic: 'kind:preview',
        thread_id: 'preview',
        due_at: createdAt,
        address: 'recipient@example.com',
        name: 'Recipient',
        language,
        time_zone: 'UTC',
        frequency: 'instant',
        items: [item],
        item_count: 1,
        security_event: null,
        unsubscribe_token: 'preview',
      },
      settings,
    );
    const push = renderPush({
      id: 'preview',
      lease: '',
      endpoint: '',
      p256dh: '',
      auth: '',
      language,
      newest: item,
      item_count: 1,
      unread_count: 1,
    });
    const row = readMailItem(item, settings.appUrl);
    return {
      row: { title: mailTextsOf(language).sentence(row), text: row.text },
      mail: { subject: mail.subject, text: mail.text, html: mail.html },
      push: { title: push.title, body: push.body },
    };
  };
  const languages = words === null ? ownLanguages : Object.keys(words).toSorted();
  return Object.fromEntries(languages.map((language) => [language, render(language)]));
}
