import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, test } from 'vitest';
import { toasts } from '../../../../src/inbox/ui/state/toasts.ts';
import { createFakeClock } from '../../../../src/testing/index.ts';
import { ada, grace, seedPassword, useLocalSupabase } from '../../../support/local-supabase.ts';
import { renderApp, type RenderAppOptions } from '../../../support/render-app.tsx';

const supabase = useLocalSupabase();
const hourMs = 3_600_000;

/** The hours until the same time of day in a week: 167 or 169 across a change of the clocks. */
function hoursOfWeek(): number {
  const start = new Date();
  const end = new Date(start);
  end.setDate(start.getDate() + 7);
  return Math.round((end.getTime() - start.getTime()) / hourMs);
}

beforeEach(async () => {
  toasts.clear();
  await supabase().database.exec('delete from notifications; delete from muted_threads');
  await supabase().database.query(
    `insert into notifications (recipient_id, sender_id, content) values ($1, $2, $3)`,
    [
      ada.id,
      grace.id,
      JSON.stringify({
        type: 'comment',
        entity_type: 'document',
        entity_id: 'doc-1',
        data: { entity_name: 'Compiler notes' },
      }),
    ],
  );
});

const open = (url: string, platform: RenderAppOptions['platform'] = {}) =>
  renderApp(url, {
    supabase: supabase(),
    user: { email: ada.email, password: seedPassword },
    platform,
  });
/** Hours from now until the end of Ada's mutes, rounded; null: no end. */
const mutedHours = async () => {
  const rows = await supabase().database.query<{ hours: number | null }>(
    `select round(extract(epoch from muted_until - now()) / 3600)::int as hours from muted_threads
     where user_id = $1 order by entity_id`,
    [ada.id],
  );
  return rows.map(({ hours }) => hours);
};
const insertMute = (id: string, until: string) =>
  supabase().database.exec(
    `insert into muted_threads (user_id, entity_type, entity_id, entity_name, muted_until)
     values ('${ada.id}', 'document', '${id}', 'Document ${id}', ${until})`,
  );
const mute = async (actor: Awaited<ReturnType<typeof open>>['actor'], choice: RegExp) => {
  await actor.click(await screen.findByRole('button', { name: /^More actions: / }));
  await actor.click(await screen.findByRole('button', { name: 'Mute Compiler notes…' }));
  const dialog = await screen.findByRole('dialog', { name: 'Mute Compiler notes' });
  await actor.click(within(dialog).getByRole('button', { name: choice }));
};

test('a mute for an hour ends by itself at the server, and can be undone', async () => {
  const { actor } = await open('/home');
  await mute(actor, /^For an hour/);
  expect(await screen.findByText(/Compiler notes is muted until \w+ \d+:\d\d [AP]M\./)).toBeTruthy();
  expect(await mutedHours()).toEqual([1]);
  await actor.click(screen.getByRole('button', { name: 'Undo' }));
  await waitFor(async () => expect(await mutedHours()).toEqual([]));
});

test('an undo restores the mute that was replaced', async () => {
  const { actor } = await open('/home');
  await mute(actor, /^Until I unmute it/);
  expect(await screen.findByText(/^Compiler notes is muted\./)).toBeTruthy();
  await waitFor(async () => expect(await mutedHours()).toEqual([null]));
  await mute(actor, /^For a week/);
  await waitFor(async () => expect(await mutedHours()).toEqual([hoursOfWeek()]));
  await actor.click(await screen.findByRole('button', { name: 'Undo' }));
  await waitFor(async () => expect(await mutedHours()).toEqual([null]));
});

test('the preferences list current mutes with their ends, until they end', async () => {
  await insertMute('1', `now() + interval '1 minute'`);
  await insertMute('2', 'null');
  await insertMute('3', `now() - interval '1 second'`);
  const clock = createFakeClock(Date.now());
  await open('/preferences', { clock });
  const first = (await screen.findByText('Document 1')).closest('li');
  expect(first?.textContent).toMatch(/^Document 1Until \w+ \d+:\d\d [AP]M/);
  expect(screen.getByText('Document 2').closest('li')?.textContent).toBe('Document 2Unmute');
  expect(screen.queryByText('Document 3')).toBeNull();
  await clock.advance(60_000);
  await waitFor(() => expect(screen.queryByText('Document 1')).toBeNull());
  expect(screen.getByText('Document 2')).toBeTruthy();
});

test('an undo in the preferences mutes again until the same time', async () => {
  await insertMute('1', `now() + interval '5 hours'`);
  const { actor } = await open('/preferences');
  await actor.click(await screen.findByRole('button', { name: 'Unmute Document 1' }));
  await screen.findByText('Document 1 is no longer muted.');
  expect(await mutedHours()).toEqual([]);
  await actor.click(screen.getByRole('button', { name: 'Undo' }));
  await waitFor(async () => expect(await mutedHours()).toEqual([5]));
});
