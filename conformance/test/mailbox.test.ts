import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createLocalSupabase, type LocalSupabase } from 'local-supabase';
import { createMailReader } from '../src/target/mailbox.ts';

let supabase: LocalSupabase;
beforeAll(async () => {
  supabase = await createLocalSupabase({ config: false, mailboxPort: 0 });
});
afterAll(() => supabase.close());

it('the code of a mail is never a number in its address', async () => {
  const to = 'audit-59201837-0a1b2c@example.com';
  await supabase.mailbox.send({ to, subject: 'Code', html: `<p>Welcome, <b>${to}</b>!</p><p>482913</p>` });
  expect((await createMailReader(supabase.mailboxUrl ?? '').next(to)).code).toBe('482913');
});

it('a request to a mailbox that closed an idle connection is retried', async () => {
  let refused = 0;
  const mails = createServer((request, response) => {
    if (refused === 0) {
      refused += 1;
      request.socket.destroy();
      return;
    }
    const isSearch = request.url?.startsWith('/api/v1/search') === true;
    response.end(JSON.stringify(isSearch ? { messages: [{ ID: 'm1' }] } : { Text: 'code 482913' }));
  });
  await once(mails.listen(0, '127.0.0.1'), 'listening');
  const { port } = mails.address() as AddressInfo;
  try {
    expect((await createMailReader(`http://127.0.0.1:${port}`).next('to@example.com')).code).toBe('482913');
    expect(refused).toBe(1);
  } finally {
    mails.close();
    mails.closeAllConnections();
  }
});
