import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';
import { afterEach, describe, expect, it } from 'vitest';
import { createLocalSupabase } from '../src/server/server.ts';
import { requestApi } from '../../test/support/local-supabase.ts';

interface Delivery {
  readonly to: readonly string[];
  readonly from: string;
  readonly source: string;
}

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

/** An SMTP server that stores mails, with one valid name and password. */
async function startSmtpServer(): Promise<{ port: number; deliveries: Delivery[] }> {
  const deliveries: Delivery[] = [];
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS'],
    onAuth: ({ username, password }, _session, done) =>
      username === 'user' && password === 'secret'
        ? done(null, { user: username })
        : done(new Error('Invalid username or password')),
    onData(stream, { envelope }, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const to = envelope.rcptTo.map(({ address }) => address);
        const from = envelope.mailFrom === false ? '' : envelope.mailFrom.address;
        deliveries.push({ to, from, source: Buffer.concat(chunks).toString() });
        done();
      });
    },
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  closers.push(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
      }),
  );
  const { port } = server.server.address() as AddressInfo;
  return { port, deliveries };
}

async function startWith(port: number, password: string) {
  const smtp = {
    host: '127.0.0.1',
    port,
    user: 'user',
    password,
    adminEmail: 'hi@inbox.test',
    senderName: 'Inbox',
  };
  const supabase = await createLocalSupabase({
    config: false,
    smtp,
    auth: { bcryptCost: 4 },
    report: () => undefined,
  });
  closers.push(supabase.close);
  return supabase;
}

const signUp = { email: 'new@example.com', password: 'correct horse' };

describe('a configured SMTP server', () => {
  it('receives the mails, and the mailbox does not', async () => {
    const { port, deliveries } = await startSmtpServer();
    const supabase = await startWith(port, 'secret');
    const response = await requestApi(supabase, '/auth/v1/signup', { method: 'POST', body: signUp });
    expect(response.status).toBe(200);
    expect(deliveries).toMatchObject([{ to: ['new@example.com'], from: 'hi@inbox.test' }]);
    expect(deliveries[0]?.source).toMatch(/^From: Inbox <hi@inbox.test>\r$/m);
    expect(deliveries[0]?.source).toMatch(/^Subject: Confirm your email address\r$/m);
    expect(supabase.mailbox.messages()).toEqual([]);
  });

  it('a configured SMTP server that rejects a mail ends the request with 500', async () => {
    const { port } = await startSmtpServer();
    const supabase = await startWith(port, 'wrong');
    const response = await requestApi(supabase, '/auth/v1/signup', { method: 'POST', body: signUp });
    expect(response.status).toBe(500);
    expect(await response.json()).toMatchObject({ msg: 'Error sending confirmation email' });
  });
});
