import { expect, it } from 'vitest';
import { ada, seedPassword, useLocalSupabase } from '../support/local-supabase.ts';
import { useConsumer } from './support/consumer.ts';
import { usePage } from './support/page.ts';

const supabase = useLocalSupabase({ port: 0 });
const consumer = useConsumer('vite-page', [
  'react',
  'react-dom',
  '@types/node',
  '@types/react',
  '@types/react-dom',
]);
const built = usePage(consumer, supabase);

it('signs in on a page built by Vite, lists rows and live changes, and keeps the session', async () => {
  const page = await built().open();
  await page.getByLabel('Email').fill(ada.email);
  await page.getByLabel('Password').fill(seedPassword);
  await page.getByRole('button').click();
  await page.getByRole('list', { name: 'Current' }).waitFor();

  await supabase().database.query(
    `insert into public.notifications (recipient_id, content) values ($1, 'has just arrived')`,
    [ada.id],
  );
  await page.getByText('has just arrived').waitFor();

  await page.reload();
  await page.getByText('has just arrived').waitFor();
  expect(await page.getByLabel('Password').count()).toBe(0);
});

it('is smaller than React plus 45 kB of clients', () => {
  // React 19.3 with react-dom/client takes 69 kB of gzip by itself.
  expect(built().scriptBytes).toBeLessThan(114_000);
});
