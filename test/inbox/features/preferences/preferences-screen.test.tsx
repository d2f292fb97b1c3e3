import 'fake-indexeddb/auto';
import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, test } from 'vitest';
import { toasts } from '../../../../src/inbox/ui/state/toasts.ts';
import { createUser, requestApi, seedPassword, useLocalSupabase } from '../../../support/local-supabase.ts';
import type { TestUser } from '../../../support/local-supabase.ts';
import { openNodeSocket } from '../../../support/node-socket.ts';
import { renderApp, type RenderAppOptions } from '../../../support/render-app.tsx';
import { createBreakableFetch, to } from '../../../support/wire/breakable-fetch.ts';

const local = useLocalSupabase({ port: 0 });
let number = 0;
let user: TestUser;

beforeEach(async () => {
  toasts.clear();
  number += 1;
  user = await createUser(local(), `reader-${number}@example.com`);
});

const open = (options: Partial<RenderAppOptions> = {}) =>
  renderApp('/preferences', {
    supabase: local(),
    user: { email: user.email, password: seedPassword },
    ...options,
  });
const saved = async () => {
  const rows = await local().database.query(
    'select * from public.notification_preferences where user_id = $1',
    [user.id],
  );
  return rows[0] ?? null;
};
const change = (body: object) =>
  requestApi(local(), `/rest/v1/notification_preferences?user_id=eq.${user.id}`, {
    method: 'PATCH',
    token: user.token,
    body,
  });
const kind = (name: string) => within(screen.getByRole('group', { name }));
const isOn = (control: HTMLElement) => (control as HTMLInputElement).checked;
const preferences = to('notification_preferences');

test('the preferences of a new user are created with the defaults, and saved at each change', async () => {
  const { actor } = await open();
  await screen.findByRole('switch', { name: /Email notifications/ });
  expect(isOn(kind('Mentions').getByRole('switch', { name: 'Email' }))).toBe(true);
  expect(isOn(kind('Edits').getByRole('switch', { name: 'Email' }))).toBe(false);
  expect(screen.getByRole<HTMLSelectElement>('combobox', { name: 'How often' }).value).toBe('daily');
  expect(await saved()).toMatchObject({ email_edits: false, email_digest_frequency: 'daily' });
  await actor.click(kind('Edits').getByRole('switch', { name: 'Email' }));
  await actor.click(kind('Invites').getByRole('switch', { name: 'In app' }));
  await actor.selectOptions(screen.getByRole('combobox', { name: 'How often' }), 'weekly');
  await waitFor(async () =>
    expect(await saved()).toMatchObject({
      email_edits: true,
      in_app_invites: false,
      email_digest_frequency: 'weekly',
    }),
  );
});

test('the preferences explain a frequency and name the time of the next email', async () => {
  const { actor } = await open();
  const often = await screen.findByRole('combobox', { name: 'How often' });
  expect(await screen.findByText('What is still unread. Nothing is waiting.')).toBeTruthy();
  await actor.selectOptions(often, 'weekly');
  await actor.selectOptions(screen.getByRole('combobox', { name: 'Day' }), 'Friday');
  await actor.selectOptions(screen.getByRole('combobox', { name: 'Time' }), '9:00 PM');
  await actor.selectOptions(screen.getByRole('combobox', { name: 'Time zone' }), 'Europe/Vienna');
  await waitFor(async () =>
    expect(await saved()).toMatchObject({
      email_digest_frequency: 'weekly',
      digest_weekday: 5,
      digest_hour: 21,
      time_zone: 'Europe/Vienna',
    }),
  );
  await actor.selectOptions(often, 'instant');
  expect(screen.getByText(/^One email per thread after two minutes/)).toBeTruthy();
});

test('the preferences offer the time zone of the browser for quiet hours', async () => {
  const own = new Intl.DateTimeFormat().resolvedOptions().timeZone;
  const { actor } = await open();
  await actor.click(await screen.findByRole('switch', { name: /^Pause alerts/ }));
  const quiet = within(screen.getByRole('region', { name: 'Quiet hours' }));
  await actor.selectOptions(quiet.getByRole('combobox', { name: 'Time zone' }), 'Antarctica/Troll');
  await actor.click(
    quiet.getByRole('button', { name: `Use this browser’s zone: ${own.replaceAll('_', ' ')}` }),
  );
  await waitFor(async () =>
    expect(await saved()).toMatchObject({ time_zone: own, quiet_hours_start: '22:00:00' }),
  );
  expect(quiet.queryByRole('button')).toBeNull();
});

test('the preferences send a test email', async () => {
  const { actor } = await open();
  await actor.click(await screen.findByRole('button', { name: 'Send me a test email' }));
  expect(await screen.findByText('A test email is on its way.')).toBeTruthy();
  await local().sendDueMails();
  const mail = await local().mailbox.waitFor({ to: user.email });
  expect(mail.subject).toBe('Test email from Tidings');
});

test('the preferences show that an address bounced, and send to it again on request', async () => {
  await local().database.query(`select public.suppress_mail_address($1, 'bounce')`, [user.email]);
  const { actor } = await open();
  expect(await screen.findByText(/couldn’t be delivered/)).toBeTruthy();
  await actor.click(screen.getByRole('button', { name: 'Send emails again' }));
  expect(await screen.findByRole('button', { name: 'Send me a test email' })).toBeTruthy();
  expect(await local().database.query('select * from private.suppressed_addresses')).toEqual([]);
});

test('the preferences show the effective values: a global switch erases none', async () => {
  const { actor } = await open();
  await actor.click(await screen.findByRole('switch', { name: /Email notifications/ }));
  const mention = kind('Mentions').getByRole<HTMLInputElement>('switch', { name: /Email/ });
  expect([mention.checked, mention.disabled]).toEqual([false, true]);
  expect(isOn(kind('Mentions').getByRole('switch', { name: 'In app' }))).toBe(true);
  await waitFor(async () =>
    expect(await saved()).toMatchObject({ enable_email_notifications: false, email_mentions: true }),
  );
  await actor.click(screen.getByRole('switch', { name: /Email notifications/ }));
  expect(isOn(kind('Mentions').getByRole('switch', { name: 'Email' }))).toBe(true);
});

test('the preferences that the server refuses are restored and can be repeated', async () => {
  const backend = createBreakableFetch(local);
  const { actor } = await open({ platform: { fetch: backend.fetch } });
  await screen.findByRole('switch', { name: /Email notifications/ });
  const refuse = () => Response.json({ code: '42501', message: 'Not allowed' }, { status: 403 });
  backend.break((request) => preferences(request) && request.method !== 'GET', refuse);
  await actor.click(kind('Edits').getByRole('switch', { name: 'Email' }));
  await screen.findByText(/Your change was undone/);
  expect(isOn(kind('Edits').getByRole('switch', { name: 'Email' }))).toBe(false);
  backend.mend();
  await actor.click(screen.getByRole('button', { name: 'Try again' }));
  await waitFor(async () => expect(await saved()).toMatchObject({ email_edits: true }));
  expect(isOn(kind('Edits').getByRole('switch', { name: 'Email' }))).toBe(true);
});

test('preferences that cannot be read show temporary defaults and a retry', async () => {
  const backend = createBreakableFetch(local);
  backend.break(preferences);
  const { actor } = await open({ platform: { fetch: backend.fetch } });
  await screen.findByText(/changes you make now aren’t saved/);
  await actor.click(kind('Edits').getByRole('switch', { name: 'Email' }));
  expect(isOn(kind('Edits').getByRole('switch', { name: 'Email' }))).toBe(true);
  backend.mend();
  await actor.click(screen.getByRole('button', { name: 'Try again' }));
  await waitFor(() => expect(screen.queryByText(/changes you make now aren’t saved/)).toBeNull());
  expect(isOn(kind('Edits').getByRole('switch', { name: 'Email' }))).toBe(false);
  expect(await saved()).toMatchObject({ email_edits: false });
});

test('preferences that cannot be read again are marked as outdated', async () => {
  const backend = createBreakableFetch(local);
  const { actor } = await open({ platform: { fetch: backend.fetch, openSocket: openNodeSocket } });
  const mentions = () => kind('Mentions').getByRole('switch', { name: 'Email' });
  await screen.findByRole('switch', { name: /Email notifications/ });
  await waitFor(async () => {
    await change({ email_mentions: false });
    expect(isOn(mentions())).toBe(false);
  });
  backend.break(preferences);
  local().faults.dropSockets();
  await screen.findByText(/^Couldn’t refresh/);
  expect(isOn(mentions())).toBe(false);
  expect(screen.queryByText(/changes you make now aren’t saved/)).toBeNull();
  backend.mend();
  await actor.click(screen.getByRole('button', { name: 'Try again' }));
  await waitFor(() => expect(screen.queryByText(/^Couldn’t refresh/)).toBeNull());
  expect(isOn(mentions())).toBe(false);
});

test('the preferences follow another device, are cleared when it deletes them, and can be created again', async () => {
  const { actor } = await open({ platform: { fetch: local().fetch, openSocket: openNodeSocket } });
  await screen.findByRole('switch', { name: /Email notifications/ });
  await waitFor(async () => {
    await change({ in_app_comments: false });
    expect(isOn(kind('Comments').getByRole('switch', { name: 'In app' }))).toBe(false);
  });
  await requestApi(local(), `/rest/v1/notification_preferences?user_id=eq.${user.id}`, {
    method: 'DELETE',
    token: user.token,
  });
  await screen.findByText('Your preferences were deleted on another device.');
  expect(screen.queryByRole('switch', { name: /Email notifications/ })).toBeNull();
  await actor.click(screen.getByRole('button', { name: 'Start with the defaults' }));
  await screen.findByRole('switch', { name: /Email notifications/ });
  expect(await saved()).toMatchObject({ in_app_comments: true });
});
