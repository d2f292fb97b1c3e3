import type { AddressInfo } from 'node:net';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { Address, Email } from 'postal-mime';
import type { SMTPServer } from 'smtp-server';
import { StartError } from '../platform/start-error.ts';
import type { Mailer } from './mail.ts';

export interface SmtpServer {
  /** Opens the port on the first call. */
  port(): Promise<number>;
  close(): Promise<void>;
}

/** Mails to this domain are rejected, to test bounces. */
const bouncingDomain = /@bounce\.test$/i;

/** @param wantedPort 0 selects any free port. */
export function createSmtpServer(mailbox: Mailer, wantedPort: number): SmtpServer {
  let server: SMTPServer | undefined;
  let opened: Promise<number> | undefined;
  const open = async () => {
    const { SMTPServer } = await import('smtp-server');
    const opening = new SMTPServer({
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
    server = opening;
    return new Promise<number>((resolve, reject) => {
      opening.once('error', (problem) =>
        reject(new StartError(`Port ${wantedPort} cannot be opened for SMTP`, problem)),
      );
      opening.listen(wantedPort, '127.0.0.1', () => resolve((opening.server.address() as AddressInfo).port));
    });
  };
  return {
    port: () => (opened ??= open()),
    async close() {
      if (!opened) return;
      await opened.catch(() => undefined);
      await new Promise<void>((resolve) => {
        if (server) server.close(() => resolve());
        else resolve();
      });
    },
  };
}

async function deliver(stream: Readable, mailbox: Mailer, respond: (problem?: Error) => void): Promise<void> {
  try {
    const { default: parser } = await import('postal-mime');
    await keep(await parser.parse(await buffer(stream)), mailbox);
  } catch (problem) {
    respond(problem instanceof Error ? problem : new Error(String(problem)));
    return;
  }
  respond();
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
