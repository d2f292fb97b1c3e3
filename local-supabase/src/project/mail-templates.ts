import { readFile } from 'node:fs/promises';
import type { ReadTemplate } from '../services/auth/context.ts';
import type { MailKind } from '../services/auth/mail/mail-template.ts';

export type MailTemplates = Readonly<
  Partial<Record<MailKind, { readonly subject?: string; readonly file?: URL }>>
>;

/**
 * Reads the files for each mail, so that changes need no restart.
 *
 * @param folder contains the templates (`confirmation.html`, `magic_link.html`, …).
 * @param own subjects and files of single mails; they override the folder's file.
 */
export function createTemplateReader(folder: URL, own: MailTemplates = {}): ReadTemplate {
  return async (kind) => {
    const file = own[kind]?.file ?? new URL(`${kind}.html`, folder);
    const html = await readFile(file, 'utf8').catch(() => null);
    return { subject: own[kind]?.subject ?? null, html };
  };
}
