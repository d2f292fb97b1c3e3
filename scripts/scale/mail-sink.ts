import type { AddressInfo } from 'node:net';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { SMTPServer } from 'smtp-server';

export interface MailSinkOptions {
  /**
   * Called at steps of a worker, which is named by its SMTP user, with the number of times that the worker has reached it.
   * False: the worker is dead, and the server stops responding to it.
   */
  readonly reach?: (
    worker: string,
    step: 'before the message' | 'after the message',
    occurrence: number,
  ) => boolean;
}

/** A local SMTP server that accepts every mail. */
export interface MailSink {
  readonly port: number;
  /** The workers that handed over each mail, by its Message-ID. */
  readonly copies: ReadonlyMap<string, readonly string[]>;
  close(): Promise<void>;
}

export async function startMailSink({ reach = () => true }: MailSinkOptions = {}): Promise<MailSink> {
  const copies = new Map<string, string[]>();
  const reached = new Map<string, number>();
  const pass = (worker: string, step: 'before the message' | 'after the message') => {
    const key = `${worker} ${step}`;
    const occurrence = (reached.get(key) ?? 0) + 1;
    reached.set(key, occurrence);
    return reach(worker, step, occurrence);
  };
  const takeMessage = async (stream: Readable, worker: string, accept: () => void) => {
    // A killed worker leaves its message unfinished.
    const message = await text(stream).catch(() => '');
    const id = /^Message-ID: *(<.+>)/im.exec(message)?.[1];
    if (id === undefined) return;
    copies.set(id, [...(copies.get(id) ?? []), worker]);
    if (pass(worker, 'after the message')) accept();
  };
  const server = new SMTPServer({
    authOptional: true,
    allowInsecureAuth: true,
    disabledCommands: ['STARTTLS'],
    logger: false,
    onAuth: ({ username = '' }, _session, done) => done(null, { user: username }),
    onMailFrom(_address, { user = '' }, done) {
      if (pass(String(user), 'before the message')) done();
    },
    onData(stream, { user = '' }, done) {
      void takeMessage(stream, String(user), done);
    },
  });
  // A killed worker resets its connections.
  server.on('error', () => undefined);
  const port = await new Promise<number>((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.server.address() as AddressInfo).port));
  });
  return {
    port,
    copies,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
      }),
  };
}
