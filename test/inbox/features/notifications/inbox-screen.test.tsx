import 'fake-indexeddb/auto';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { IDBFactory } from 'fake-indexeddb';
import { beforeEach, expect, test, vi } from 'vitest';
import { toasts } from '../../../../src/inbox/ui/state/toasts.ts';
import { setLanguage } from '../../../../src/inbox/ui/texts.ts';
import { createPlatform } from '../../../../src/platform/browser-platform.ts';
import {
  ada,
  grace,
  requestApi,
  seedPassword,
  signIn,
  useLocalSupabase,
} from '../../../support/local-supabase.ts';
import { openNodeSocket } from '../../../support/node-socket.ts';
import { findRowButton } from '../../../support/row-button.ts';
import { renderApp, type RenderAppOptions } from '../../../support/render-app.tsx';
import { createBreakableFetch, to } from '../../../support/wire/breakable-fetch.ts';

const local = useLocalSupabase({ port: 0 });
const user = { email: ada.email, password: seedPassword };

beforeEach(async () => {
  toasts.clear();
  globalThis.indexedDB = new IDBFactory();
  await local().database.exec('truncate public.notifications');
});

/** Grace notifies Ada. */
async function notify(number: number, type = 'mention'): Promise<void> {
  const token = await signIn(local(), grace.email);
  const content = JSON.stringify({
    type,
    entity_type: 'document',
    entity_id: String(number),
    data: { entity_name: `Document ${number}` },
  });
  const body = { recipient_id: ada.id, status: 'unread', content };
  const { status } = await requestApi(local(), '/rest/v1/notifications', { method: 'POST', token, body });
  expect(status).toBe(201);
}

async function fill(count: number): Promise<void> {
  await local().database.query(
    `insert into public.notifications (recipient_id, content, created_at)
     select $1, json_build_object('type', 'edit', 'data', json_build_object('entity_name', 'Old ' || n)),
            '2026-01-01'::timestamptz + n * interval '1 minute'
     from generate_series(1, $2::int) n`,
    [ada.id, count],
  );
}

const open = (url = '/home', options: Partial<RenderAppOptions> = {}) =>
  renderApp(url, { supabase: local(), user, ...options });
const rows = () => [...document.querySelectorAll('main [data-id]')];
/** The button beside a message: which other messages offer a retry depends on the order of the responses. */
const tryAgain = (message: RegExp) =>
  within(screen.getByText(message).parentElement ?? document.body).getByRole('button', { name: 'Try again' });
const status = async (name: string) => {
  const found = await local().database.query<{ status: string }>(
    'select status from public.notifications where content like $1',
    [`%${name}"%`],
  );
  return found[0]?.status ?? null;
};
test('“Needs you” has its list and its count, although later notifications fill the page', async () => {
  await notify(1);
  await local().database.exec(`update public.notifications set created_at = now() - interval '400 days'`);
  await fill(40);
  const { actor } = await open();
  const rail = within(await screen.findByRole('complementary', { name: 'Views' }));
  await actor.click(await rail.findByRole('link', { name: 'Needs you, 1' }));
  await screen.findByRole('heading', { name: 'Needs you', level: 1 });
  await actor.click(await findRowButton(actor, /^Mark as read/, /Document 1/));
  expect(await rail.findByRole('link', { name: 'Needs you, 0' })).toBeTruthy();
  expect(rows()).toHaveLength(1);
  await waitFor(async () => expect(await status('Document 1')).toBe('read'));
});

test('the filter offers the people and places of older notifications, and those of the loaded rows while it cannot read them', async () => {
  await notify(1, 'comment');
  await local().database.exec(`update public.notifications set created_at = now() - interval '400 days'`);
  await fill(40);
  const backend = createBreakableFetch(local);
  const { actor } = await open('/home', { platform: { fetch: backend.fetch } });
  await screen.findByText(/Old 40/);
  backend.break(to('/rest/v1/rpc/recent_senders_and_threads'));
  const filter = screen.getByRole('button', { name: 'Filter' });
  await actor.click(filter);
  const types = await screen.findByRole('group', { name: 'Types' });
  expect(
    within(types)
      .getAllByRole('button')
      .map(({ textContent }) => textContent),
  ).toContain('Edits');
  expect(screen.queryByRole('group', { name: 'Person' })).toBeNull();
  await actor.click(filter);
  backend.mend();
  await actor.click(filter);
  const grace = await screen.findByRole('button', { name: 'Grace Hopper' });
  await actor.click(grace);
  expect(grace.getAttribute('aria-pressed')).toBe('true');
  await waitFor(() =>
    expect(rows().map((row) => row.textContent)).toEqual([expect.stringMatching(/Document 1/)]),
  );
});

test('the inbox shows days, headlines, links and times', async () => {
  await notify(1, 'edit');
  await notify(2);
  await open();
  const link = await screen.findByRole('link', { name: /Unread:.*Grace Hopper edited Document 1/ });
  const mention = screen.getByRole('link', { name: /mentioned you in Document 2/ });
  const today = screen.getByRole('region', { name: 'Today' });
  expect([link, mention].map((each) => today.contains(each))).toEqual([true, true]);
  expect(within(link).getByText('now').getAttribute('title')).toMatch(/\d{4}/);
  expect(screen.getByRole('heading', { level: 1 }).textContent).toBe('Inbox');
});

test('a row under the heading of an earlier day shows its clock time; in a thread, a row of another day shows its day', async () => {
  const insert = (name: string, at: string) =>
    local().database.query(
      `insert into public.notifications (recipient_id, content, created_at)
       select $1, json_build_object('type', 'comment', 'entity_type', 'document', 'entity_id', 'one',
                                    'data', json_build_object('entity_name', $2::text)), $3::timestamptz`,
      [ada.id, name, at],
    );
  await insert('Newest', '2026-01-20 12:01');
  await insert('Middle', '2026-01-20 12:00');
  await insert('Oldest', '2026-01-02 12:00');
  const { actor } = await open();
  const thread = await screen.findByRole('button', { name: /3 updates/ });
  await actor.click(thread);
  await screen.findByRole('link', { name: /Oldest/ });
  expect(thread.textContent, 'the rows below have the sentences').not.toMatch(/commented on/);
  expect(thread.textContent).toMatch(/Newest/);
  const times = rows().map((row) => row.querySelector('time')?.textContent);
  const clock = /^\d{1,2}:\d{2}/;
  expect(times).toEqual([
    expect.stringMatching(clock),
    expect.stringMatching(clock),
    expect.stringMatching(clock),
    expect.stringMatching(/[A-Z]/),
  ]);
});

test('a kind in the rail leads from the archive to the list that its number counts', async () => {
  await notify(1);
  const { actor } = await open('/home?tab=archived');
  await screen.findByRole('heading', { name: 'Archived', level: 1 });
  expect(screen.queryByRole('button', { name: 'Mark all read' })).toBeNull();
  const rail = within(screen.getByRole('complementary', { name: 'Views' }));
  await actor.click(await rail.findByRole('link', { name: 'Mentions, 1 unread' }));
  await screen.findByRole('heading', { name: 'Mentions', level: 1 });
  expect(await screen.findByText(/Document 1/)).toBeTruthy();
});

test('the inbox formats numbers in the language of the page', async () => {
  await fill(1_234);
  await setLanguage('de');
  try {
    await open();
    expect(await screen.findAllByText('1.234')).not.toHaveLength(0);
  } finally {
    await setLanguage('en');
  }
});

test('the inbox shows the unread count in the rail, the title and the icon, and no bell', async () => {
  await notify(1, 'edit');
  await notify(2, 'message');
  await fill(2);
  await local().database.exec(`update public.notifications set status = 'read' where content like '%Old 2%'`);
  document.head.innerHTML = '<link rel="icon" href="/favicon.svg">';
  await open();
  await screen.findByText('Message');
  const links = (list: string) =>
    within(screen.getAllByRole('navigation', { name: list })[0] as HTMLElement)
      .getAllByRole('link')
      .map(({ textContent }) => textContent);
  await waitFor(() => expect(links('Lists').filter((text) => /\d/.test(text))).toEqual(['Unread3']));
  expect(links('Types'), 'messages of users have no type').toEqual([
    'Mentions',
    'Edits2',
    'Comments',
    'Invites',
    'System',
  ]);
  expect(screen.queryByRole('button', { name: /^Notifications/ })).toBeNull();
  await waitFor(() => expect(document.title).toBe('(3) Inbox · Tidings'));
  expect(document.querySelector('link[rel=icon]')?.getAttribute('href')).toMatch(/^data:image\/svg/);
});

test('the inbox searches again when a notification arrives or its words change, once for changes that arrive together', async () => {
  await fill(3);
  await notify(1);
  let searches = 0;
  await open('/home?q=Document', {
    platform: {
      openSocket: openNodeSocket,
      fetch: (input, init) => {
        if (to('rpc/search_notifications')(new Request(input, init))) searches += 1;
        return local().fetch(input, init);
      },
    },
  });
  await screen.findByText('1 result');
  await notify(2);
  await screen.findByText('2 results');
  expect(rows()).toHaveLength(2);
  const before = searches;
  await local().database.exec(
    `update notifications set content = replace(content, 'Old', 'Document') where content like '%Old%'`,
  );
  await screen.findByText('5 results');
  expect(searches).toBe(before + 1);
  await local().database.exec(
    `update notifications set content = replace(content, 'Document', 'Plan') where content like '%Document 1%'`,
  );
  await screen.findByText('3 results');
  await local().database.exec(`delete from notifications where content like '%Document 2%'`);
  await waitFor(() => expect(rows()).toHaveLength(1));
});

test('the inbox has a button that marks a notification as read, and then as unread again', async () => {
  await notify(1);
  const { actor } = await open();
  await actor.click(await findRowButton(actor, /^Mark as read: /));
  await waitFor(async () => expect(await status('Document 1')).toBe('read'));
  await actor.click(await findRowButton(actor, /^Mark as unread: /));
  await waitFor(async () => expect(await status('Document 1')).toBe('unread'));
});

test('the inbox deletes a notification after the undo time unless the deletion is undone', async () => {
  await notify(1);
  const { actor } = await open();
  await actor.click(await findRowButton(actor, /^Delete: /));
  await screen.findByText('1 notification deleted.');
  // The rows are rendered a moment after the toast.
  await waitFor(() => expect(rows()).toHaveLength(0));
  await actor.click(screen.getByRole('button', { name: 'Undo' }));
  await waitFor(() => expect(rows()).toHaveLength(1));
  await actor.click(await findRowButton(actor, /^Delete: /));
  await actor.click(await screen.findByRole('button', { name: 'Dismiss' }));
  await waitFor(async () => expect(await status('Document 1')).toBeNull());
});

test('the inbox moves the focus from a removed row to the next, or to the heading', async () => {
  await fill(2);
  const { actor } = await open();
  (await screen.findByText(/Old 2/)).closest<HTMLElement>('[data-row]')?.focus();
  // The first command waits for its code, and the rows for the inbox.
  await actor.keyboard('e');
  await waitFor(() => expect(document.activeElement?.textContent).toContain('Old 1'));
  await actor.keyboard('{Delete}');
  await waitFor(() => expect(document.activeElement).toBe(screen.getByRole('heading', { level: 1 })));
  expect(await screen.findByText(/You’re all caught up/)).toBeTruthy();
});

test('the inbox loads more, page by page', async () => {
  await fill(65);
  const { actor } = await open();
  await actor.click(await screen.findByRole('button', { name: 'Load more' }));
  // Only the rows near the visible part are in the document.
  const listLength = () => rows()[0]?.getAttribute('aria-setsize');
  await waitFor(() => expect(listLength()).toBe('60'));
  await actor.click(screen.getByRole('button', { name: 'Load more' }));
  await waitFor(() => expect(listLength()).toBe('65'));
  await waitFor(() => expect(rows().length).toBeLessThan(60));
  expect(screen.queryByRole('button', { name: 'Load more' })).toBeNull();
});

test('the inbox acts on a selection', async () => {
  await fill(3);
  const { actor } = await open();
  await screen.findByText(/Old 3/);
  await actor.click(screen.getByRole('button', { name: 'Select' }));
  await actor.click(screen.getByRole('checkbox', { name: /Old 1/ }));
  await actor.click(screen.getByRole('checkbox', { name: /Old 2/ }));
  await screen.findByText('2 selected');
  await actor.click(screen.getByRole('button', { name: 'Archive' }));
  await waitFor(() => expect(rows()).toHaveLength(1));
  expect(screen.queryByRole('region', { name: 'Select' })).toBeNull();
  await waitFor(() => expect(document.activeElement?.textContent).toContain('Old 3'));
  await waitFor(async () =>
    expect([await status('Old 1'), await status('Old 2')]).toEqual(['archived', 'archived']),
  );
  await actor.keyboard('z');
  await waitFor(() => expect(rows()).toHaveLength(3));
});

test('the inbox is operated by keys that act on the focused row', async () => {
  await fill(3);
  const { actor } = await open();
  await screen.findByText(/Old 3/);
  await actor.keyboard('e');
  expect(rows()).toHaveLength(3);
  document.querySelector<HTMLElement>('main [data-row]')?.focus();
  await actor.keyboard('j');
  expect(document.activeElement?.textContent).toContain('Old 2');
  await actor.keyboard('r');
  await waitFor(async () => expect(await status('Old 2')).toBe('read'));
  await actor.keyboard('{Delete}');
  await waitFor(() => expect(rows()).toHaveLength(2));
  await actor.keyboard('z');
  await waitFor(() => expect(rows()).toHaveLength(3));
  await actor.keyboard('?');
  await screen.findByText('Use keyboard shortcuts');
});

test('the inbox is empty at once when all rows of several pages are deleted, and nothing can be selected', async () => {
  await fill(40);
  const { actor } = await open();
  await screen.findByText(/Old 40/);
  const select = screen.getByRole('button', { name: 'Select' });
  await actor.click(select);
  await actor.click(await screen.findByRole('button', { name: 'Select all shown' }));
  await actor.click(await screen.findByRole('button', { name: 'Select all 40' }));
  expect(screen.queryByRole('button', { name: /^Select all/ })).toBeNull();
  await waitFor(() =>
    expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Mark as read' })),
  );
  await actor.click(screen.getByRole('button', { name: 'Delete' }));
  expect(await screen.findByText(/No notifications yet/)).toBeTruthy();
  expect(select.getAttribute('aria-disabled')).toBe('true');
  await actor.click(await screen.findByRole('button', { name: 'Undo' }));
  expect(await screen.findByText(/Old 40/)).toBeTruthy();
});

test('the inbox shows the rest when all rows of the first page are deleted', async () => {
  await fill(40);
  const { actor } = await open();
  await screen.findByText(/Old 40/);
  await actor.click(screen.getByRole('button', { name: 'Select' }));
  await actor.click(await screen.findByRole('button', { name: 'Select all shown' }));
  await actor.click(screen.getByRole('button', { name: 'Delete' }));
  expect(await screen.findByText(/Old 10$/)).toBeTruthy();
});

test('the inbox ignores letter keys when shortcuts are off', async () => {
  await fill(2);
  const { actor } = await open();
  await screen.findByText(/Old 2/);
  await actor.click(screen.getByRole('button', { name: 'Inbox options' }));
  await actor.click(await screen.findByRole('button', { name: 'Keyboard shortcuts' }));
  await actor.click(await screen.findByRole('switch', { name: /Use keyboard shortcuts/ }));
  await actor.click(screen.getByRole('button', { name: 'Close' }));
  document.querySelector<HTMLElement>('main [data-row]')?.focus();
  await actor.keyboard('e');
  // `Delete` still works. If the letter had triggered a command, it would have run before.
  await actor.keyboard('{Delete}');
  await waitFor(() => expect(rows()).toHaveLength(1));
  await screen.findByText('1 notification deleted.');
  expect(screen.queryByText(/archived\.$/)).toBeNull();
  localStorage.clear();
});

test('the bell of the other pages shows what is unread', async () => {
  await fill(10);
  const { actor } = await open('/preferences');
  await actor.click(await screen.findByRole('button', { name: 'Notifications, 10 unread' }));
  const panel = await screen.findByRole('dialog', { name: 'Inbox' });
  await waitFor(() => expect(panel.querySelectorAll('[data-id]')).toHaveLength(8));
  await actor.click(within(panel).getByRole('button', { name: 'Mark all read' }));
  await screen.findByRole('button', { name: 'Notifications' });
  expect(within(panel).getByRole('link', { name: 'See all' }).getAttribute('href')).toBe('/home');
});

test('a notification without its own page opens in full, is marked read, and returns to the list', async () => {
  await notify(1);
  const { actor } = await open('/home?kind=mention');
  await actor.click(await screen.findByRole('link', { name: /mentioned you in Document 1/ }));
  const dialog = await screen.findByRole('dialog', { name: /mentioned you in Document 1/ });
  expect(location.search).toMatch(/^\?kind=mention&open=/);
  await waitFor(async () => expect(await status('Document 1')).toBe('read'));
  await actor.click(within(dialog).getByRole('button', { name: 'Close' }));
  await waitFor(() => expect(location.search).toBe('?kind=mention'));
  await waitFor(() => expect(screen.queryByRole('dialog', { name: /mentioned you/ })).toBeNull());
});

test('a notification without its own page can be archived there and stays at its address', async () => {
  await notify(2);
  const { actor } = await open();
  await actor.click(await screen.findByRole('link', { name: /mentioned you in Document 2/ }));
  const address = location.pathname + location.search;
  await actor.click(await screen.findByRole('button', { name: 'Archive' }));
  await waitFor(async () => expect(await status('Document 2')).toBe('archived'));
  await open(address);
  expect(await screen.findAllByRole('button', { name: 'Move to inbox' })).toHaveLength(1);
});

test('a notification without its own page that is in no loaded list is marked read and unread there', async () => {
  await notify(3);
  await local().database.exec(`update public.notifications set created_at = now() - interval '1 day'`);
  await fill(35);
  const [row] = await local().database.query<{ id: string }>(
    `select id from public.notifications where content like '%Document 3%'`,
  );
  await local().database.query(`update public.notifications set status = 'archived' where id = $1`, [
    row?.id,
  ]);
  const { actor } = await open(`/home?open=${row?.id}`);
  await screen.findByRole('dialog', { name: /mentioned you in Document 3/ });
  expect(await status('Document 3')).toBe('archived');
  await local().database.query(`update public.notifications set status = 'unread' where id = $1`, [row?.id]);
  await open(`/home?open=${row?.id}`);
  const button = await screen.findByRole('button', { name: 'Mark as unread' });
  await waitFor(async () => expect(await status('Document 3')).toBe('read'));
  await actor.click(button);
  await waitFor(async () => expect(await status('Document 3')).toBe('unread'));
});

test('a notification without its own page that fails to load shows an error, logs it, and can be retried', async () => {
  await notify(4);
  const [row] = await local().database.query<{ id: string }>('select id from public.notifications');
  await local().database.query(`update public.notifications set status = 'archived'`);
  const report = vi.fn<(problem: unknown) => void>();
  const backend = createBreakableFetch(local);
  backend.break(({ url }) => /[?&]id=in/.test(url));
  const { actor } = await open(`/home?open=${row?.id}`, { platform: { report, fetch: backend.fetch } });
  const message = await screen.findByText('Couldn’t load your notifications.', { exact: false });
  const dialog = message.closest('dialog') ?? document.body;
  expect(report).toHaveBeenCalled();
  backend.mend();
  await actor.click(within(dialog).getByRole('button', { name: 'Try again' }));
  expect(await screen.findByRole('dialog', { name: /mentioned you in Document 4/ })).toBeTruthy();
});

test('a notification without its own page that was deleted shows a message', async () => {
  await open('/home?open=00000000-0000-4000-8000-000000000000');
  expect(await screen.findByText('This notification no longer exists.')).toBeTruthy();
});

test('a sign-out sends a deletion that can still be undone, and deletes the data stored on the device', async () => {
  await fill(4);
  const { actor, url } = await open();
  await actor.click(await findRowButton(actor, /^Delete/, /Old 1/));
  await actor.click(await findRowButton(actor, /^Delete/, /Old 2/));
  await waitFor(() => expect(rows()).toHaveLength(2));
  await expect.poll(() => keptUsers()).toContain(ada.id);
  await actor.click(screen.getByRole('button', { name: /^Account menu/ }));
  await actor.click(await screen.findByRole('button', { name: 'Sign out' }));
  await waitFor(() => expect(url()).toBe('/login'));
  await waitFor(async () => {
    const left = await local().database.query('select id from public.notifications');
    expect(left).toHaveLength(2);
  });
  await expect.poll(() => keptUsers()).toEqual([]);
});

test('an action that fails in the bell is reported on the open page', async () => {
  const backend = createBreakableFetch(local);
  await fill(2);
  const { actor } = await open('/preferences', { platform: { fetch: backend.fetch } });
  await actor.click(await screen.findByRole('button', { name: 'Notifications, 2 unread' }));
  const panel = await screen.findByRole('dialog', { name: 'Inbox' });
  const all = await within(panel).findByRole('button', { name: 'Mark all read' });
  backend.break(to('/rest/'), refuse);
  await actor.click(all);
  await actor.click(await screen.findByRole('button', { name: 'Dismiss' }));
  expect(await screen.findByText(/Your change was undone/)).toBeTruthy();
});

test('a search that fails shows no rows that it did not find', async () => {
  const backend = createBreakableFetch(local);
  await fill(2);
  const { actor } = await open('/home', { platform: { fetch: backend.fetch } });
  await screen.findByText(/Old 2/);
  backend.break(to('/rest/'));
  await actor.type(await screen.findByRole('searchbox'), 'Old 1');
  await screen.findByText('Couldn’t search your notifications.');
  await waitFor(() => expect(rows()).toHaveLength(0));
  // The button would mark the rows of the previous list.
  const markAll = screen.getByRole('button', { name: 'Mark all read' });
  expect(markAll.getAttribute('aria-disabled')).toBe('true');
  backend.mend();
  await actor.click(tryAgain(/^Couldn’t search/));
  await screen.findByText('1 result');
  expect(rows()).toHaveLength(1);
});

test('a reload shows the saved list, then the current one', async () => {
  const backend = createBreakableFetch(local);
  await fill(2);
  const first = await open('/home', { platform: { fetch: backend.fetch } });
  await screen.findByText(/Old 2/);
  await expect.poll(() => keptText()).toContain('Old 2');
  first.unmount();
  backend.break(to('/rest/'));
  // Without a new sign-in: persisted data belongs to its session.
  const { clock } = createPlatform();
  await renderApp('/home', {
    supabase: local(),
    platform: { clock: { ...clock, now: () => clock.now() + 45 * 60_000 }, fetch: backend.fetch },
    store: first.store,
  });
  await screen.findByText(/Old 2/);
  await screen.findByText(/^Couldn’t refresh\. This list is from .*\d:\d\d/);
  await local().database.exec("delete from public.notifications where content like '%Old 2%'");
  backend.mend();
  fireEvent.click(tryAgain(/Couldn’t refresh. This list is from/));
  await waitFor(() => expect(screen.queryByText(/Old 2/)).toBeNull());
});

const refuse = () => Response.json({ code: '42501', message: 'Not allowed' }, { status: 403 });

/** The users with persisted data. */
const keptUsers = () => readKept((users) => users.getAllKeys());

/** The persisted data as text. */
const keptText = async () =>
  JSON.stringify(await readKept((users) => users.getAll()), (_key, value: unknown) =>
    value instanceof Map ? [...value.values()] : value,
  );

async function readKept<T>(read: (users: IDBObjectStore) => IDBRequest<T[]>): Promise<readonly T[]> {
  return new Promise((resolve, reject) => {
    const opening = indexedDB.open('inbox-cache');
    let isDeleted = false;
    // Opening a deleted database would create it again, empty; aborting the upgrade prevents that.
    opening.addEventListener('upgradeneeded', () => {
      isDeleted = true;
      opening.transaction?.abort();
    });
    opening.addEventListener('error', () => (isDeleted ? resolve([]) : reject(new Error('No database'))));
    // The database was deleted between the two calls: aborting leaves none behind.
    opening.addEventListener('upgradeneeded', () => {
      opening.transaction?.abort();
      resolve([]);
    });
    opening.addEventListener('success', () => {
      const request = read(opening.result.transaction('users').objectStore('users'));
      request.addEventListener('success', () => {
        opening.result.close();
        resolve(request.result);
      });
    });
  });
}

test('addresses in the text of the opened notification are links; that of another site asks first', async () => {
  const text = `See https://example.com/lunch, ${location.origin}/account and javascript:alert(1) <b>now</b>`;
  const data = { entity_name: 'Plan', text };
  await local().database.query(`insert into public.notifications (recipient_id, content) values ($1, $2)`, [
    ada.id,
    JSON.stringify({ type: 'comment', data }),
  ]);
  const { actor } = await open();
  await actor.click(await screen.findByRole('link', { name: /Plan/ }));
  const quote = await waitFor(() => {
    const found = document.querySelector('blockquote');
    if (!found) throw new Error('not opened');
    return found;
  });
  expect(quote.textContent).toBe(text);
  const links = within(quote).getAllByRole<HTMLAnchorElement>('link');
  expect(links.map(({ href, rel }) => [href, rel])).toEqual([
    ['https://example.com/lunch', 'noopener noreferrer'],
    [`${location.origin}/account`, 'noopener noreferrer'],
  ]);
  await actor.click(within(quote).getByRole('link', { name: 'https://example.com/lunch' }));
  const proceed = await within(
    await screen.findByRole('dialog', { name: 'You’re leaving this site' }),
  ).findByRole<HTMLAnchorElement>('link');
  expect(proceed.href).toBe('https://example.com/lunch');
});

test('the inbox says that in-app notifications are off, with a link to the preferences', async () => {
  await fill(1);
  await local().database.query(
    `insert into public.notification_preferences (user_id, enable_in_app_notifications) values ($1, false)
     on conflict (user_id) do update set enable_in_app_notifications = false`,
    [ada.id],
  );
  try {
    const { actor, url } = await open();
    const note = await screen.findByText('In-app notifications are off. Nothing new arrives here.');
    await actor.click(within(note.parentElement ?? document.body).getByRole('link', { name: 'Preferences' }));
    expect(url()).toBe('/preferences');
    await actor.click(await screen.findByRole('switch', { name: 'In-app notifications' }));
    await actor.click(screen.getByRole('link', { name: 'Tidings' }));
    await screen.findByText(/Old 1/);
    expect(screen.queryByText(/In-app notifications are off/)).toBeNull();
  } finally {
    await local().database.query('delete from public.notification_preferences where user_id = $1', [ada.id]);
  }
});
