import type { Mailer } from './mail.ts';

/** A text message: `to` is a phone number. */
export interface TextMessage {
  readonly to: string;
  readonly text: string;
}

/** Puts text messages into a mailbox, addressed to the phone number. */
export const createSmsBox = (mailbox: Mailer): { send(message: TextMessage): Promise<void> } => ({
  send: ({ to, text }) => mailbox.send({ to, subject: 'Text message', text, html: `<p>${text}</p>` }),
});
