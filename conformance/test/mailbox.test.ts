import { afterAll, beforeAll, expect, it } from 'vitest';
import { createLocalSupabase, type LocalSupabase } from 'local-supabase';
import { createMailReader } from '../src/mailbox.ts';

let supabase: LocalSupabase;
beforeAll(async () => {
  supabase = await createLocalSupabase({ mailboxPort: 0 });
});
afterAll(() => supabase.close());

it('the code of a mail is never a number of the address that it names', async () => {
  const to = 'audit-59201837-0a1b2c@example.com';
  await supabase.mailbox.send({ to, subject: 'Code', html: `<p>Welcome, <b>${to}</b>!</p><p>482913</p>` });
  expect((await createMailReader(supabase.mailboxUrl ?? '').next(to)).code).toBe('482913');
});
