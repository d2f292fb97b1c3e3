import type { AddressInfo } from 'node:net';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import PostalMime from 'postal-mime';
import type { Address, Email } from 'postal-mime';
import { SMTPServer } from 'smtp-server';
import { StartError } from '../http/start-error.ts';
import type { Mailer } from './mail.ts';

/** The SMTP server of the mailbox. */
export interface SmtpServer {
  /** Opens the port on the first call. */
  port(): Promise<number>;
  close(): Promise<void>;
}

/** Every address of this domain is unknown: mails to it are refused, so that bounces can be tried. */
const bouncingDomain = /@bounce\.test$/i;

/** @param wantedPort 0 takes any free one. */
export function createSmtpServer(mailbox: Mailer, wantedPort: number): SmtpServer {
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    logger: false,
    onRcptTo({ address }, _session, done) {
      if (!bouncingDomain.test(address)) return done();
      done(Object.assign(new Error('5.1.1 No such mailbox'), { responseCode: 550 }));
    },
    onData(stream, _session, done) {
      void deliver(stream, mailbox, done);
    },
  });
  let opened: Promise<number> | undefined;
  const open = () =>
    new Promise<number>((resolve, reject) => {
      server.once('error', (problem) =>
        reject(new StartError(`Port ${wantedPort} cannot be opened for SMTP`, problem)),
      );
      server.listen(wantedPort, '127.0.0.1', () => resolve((server.server.address() as AddressInfo).port));
    });
  return {
    port: () => (opened ??= open()),
    async close() {
      if (!opened) return;
      await opened.catch(() => undefined);
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
      });
    },
  };
}

async function deliver(stream: Readable, mailbox: Mailer, answer: (problem?: Error) => void): Promise<void> {
  try {
    await keep(await PostalMime.parse(await buffer(stream)), mailbox);
  } catch (problem) {
    answer(problem instanceof Error ? problem : new Error(String(problem)));
    return;
  }
  answer();
}

async function keep(mail: Email, mailbox: Mailer): Promise<void> {
  const { from, to = [], subject = '', html = '', text, headers } = mail;
  for (const recipient of to) {
    await mailbox.send({
      to: formatAddress(recipient),
      ...(from && { from: formatAddress(from) }),
      subject,
      html,
      ...(text !== undefined && { text }),
      headers: Object.fromEntries(headers.map(({ originalKey, value }) => [originalKey, value])),
    });
  }
}

function formatAddress({ name, address = '' }: Address): string {
  return name ? `"${name.replaceAll('"', '')}" <${address}>` : address;
}
