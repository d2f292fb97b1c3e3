import { decodeEntities, htmlToText } from './html-to-text.ts';

export interface Mail {
  /** An address, with or without a display name. */
  readonly to: string;
  readonly subject: string;
  readonly html: string;
  /** Default: the text of `html`. */
  readonly text?: string;
  /** Default: the project's own address. */
  readonly from?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Delivers mails: to the mailbox, or by SMTP. */
export interface Mailer {
  send(mail: Mail): Promise<void>;
}

/** A text message; `to` is a phone number. */
export interface TextMessage {
  readonly to: string;
  readonly text: string;
}

/** Delivers text messages to a mailbox, addressed to the phone number. */
export const createSmsBox = (mailbox: Mailer): { send(message: TextMessage): Promise<void> } => ({
  send: ({ to, text }) => mailbox.send({ to, subject: 'Text message', text, html: `<p>${text}</p>` }),
});

export interface MailAddress {
  readonly name: string;
  readonly address: string;
}

export interface ReceivedMail {
  readonly id: string;
  readonly receivedAtMs: number;
  readonly from: MailAddress;
  readonly to: MailAddress;
  readonly subject: string;
  readonly html: string;
  readonly text: string;
  readonly isRead: boolean;
  readonly links: readonly string[];
  /** The one-time code in the mail: the first separate number with six to ten digits. */
  readonly code: string | null;
  /** Headers by their original name; empty for mails of the auth service. */
  readonly headers: Readonly<Record<string, string>>;
}

/** The sender of the auth service's mails and, through `MAIL_FROM`, of the functions' mails. */
export const localSender = 'Tidings <notifications@inbox.test>';

/** @param id must sort by time: later mails have greater ids. */
export function receiveMail(mail: Mail, id: string, nowMs: number): ReceivedMail {
  const text = mail.text ?? htmlToText(mail.html);
  return {
    id,
    receivedAtMs: nowMs,
    from: parseAddress(mail.from ?? localSender),
    to: parseAddress(mail.to),
    subject: mail.subject,
    html: mail.html,
    text,
    isRead: false,
    links: [...mail.html.matchAll(/\bhref="([^"]+)"/g)].map(([, href = '']) => decodeEntities(href)),
    headers: mail.headers ?? {},
    code: /(?<![\w/=&?.%@-])\d{6,10}(?![\w/=&%@-])/.exec(text)?.[0] ?? null,
  };
}

export function parseAddress(value: string): MailAddress {
  const [, name = '', address = value] = /^\s*"?([^"<]*?)"?\s*<([^>]+)>\s*$/.exec(value) ?? [];
  return { name, address: address.trim() };
}
