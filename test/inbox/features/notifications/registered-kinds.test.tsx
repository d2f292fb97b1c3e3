import { screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { toasts } from '../../../../src/inbox/ui/state/toasts.ts';
import { setLanguage } from '../../../../src/inbox/ui/texts.ts';
import { ada, requestApi, seedPassword, useLocalSupabase } from '../../../support/local-supabase.ts';
import { renderApp, type RenderAppOptions } from '../../../support/render-app.tsx';

const supabase = useLocalSupabase();

const call = async (name: string, body: unknown) => {
  const { serviceRoleKey } = supabase();
  const response = await requestApi(supabase(), `/rest/v1/rpc/${name}`, {
    method: 'POST',
    apiKey: serviceRoleKey,
    token: serviceRoleKey,
    body,
  });
  expect(response.status).toBe(200);
};
const send = (more: object = {}) =>
  call('send_notifications', {
    messages: [{ recipients: [ada.id], kind: 'build_failed', fields: { branch: 'main' }, ...more }],
  });

beforeEach(async () => {
  toasts.clear();
  await supabase().database.exec(`
    delete from notifications; delete from notification_preferences;
    delete from notification_kinds where name <> 'system';
    create table if not exists retries (notification_id uuid);
    truncate retries;
    create or replace function public.retry_build(notification_id uuid) returns void
      language sql security definer set search_path = ''
      as $$ insert into public.retries values (retry_build.notification_id) $$;
  `);
  await call('register_kind', {
    kind: {
      name: 'build_failed',
      labels: { en: 'Failed builds', de: 'Fehlgeschlagene Builds' },
      icon: 'alert',
      templates: { en: { title: '{branch} failed' }, de: { title: '{branch} ist fehlgeschlagen' } },
      callbacks: ['retry_build'],
    },
  });
});
afterEach(() => setLanguage('en'));

const open = (url: string, platform: RenderAppOptions['platform'] = {}) =>
  renderApp(url, { supabase: supabase(), user: { email: ada.email, password: seedPassword }, platform });

test('the inbox names, counts and filters a registered kind without code for it, in the language of the page', async () => {
  await send({ text: 'Three tests fail.' });
  await send({ kind: 'mention', fields: {}, text: 'Look' });
  const { actor, url } = await open('/home');
  const row = (await screen.findByText('main failed')).closest('li');
  expect(within(row ?? document.body).getByText('Three tests fail.')).toBeTruthy();
  expect(within(row ?? document.body).getByText('Failed builds')).toBeTruthy();
  const [link] = screen.getAllByRole('link', { name: 'Failed builds, 1 unread' });
  await actor.click(link ?? document.body);
  expect(url()).toBe('/home?kind=build_failed');
  expect(screen.getByRole('heading', { name: 'Failed builds' })).toBeTruthy();
  await waitFor(() => expect(screen.queryByText(/mentioned you/)).toBeNull());
  expect(screen.getByText('main failed')).toBeTruthy();
  await setLanguage('de');
  await screen.findByText('main ist fehlgeschlagen');
  expect(screen.getAllByText('Fehlgeschlagene Builds').length).toBeGreaterThan(1);
});

test('the preferences switch a registered kind, show the team’s defaults until then, and list a topic by itself', async () => {
  await call('register_kind', {
    kind: { name: 'deployed', labels: { en: 'Deployments' }, channels: ['in_app'] },
  });
  await call('register_kind', { kind: { name: 'releases', labels: { en: 'New releases' }, topic: true } });
  const { actor } = await open('/preferences');
  const kind = within(await screen.findByRole('group', { name: 'Deployments' }));
  const email = kind.getByRole<HTMLInputElement>('switch', { name: 'Email' });
  expect(email.checked).toBe(false);
  expect(kind.getByRole<HTMLInputElement>('switch', { name: 'In app' }).checked).toBe(true);
  await actor.click(email);
  await actor.click(
    within(screen.getByRole('group', { name: 'Failed builds' })).getByRole('switch', { name: 'In app' }),
  );
  expect(screen.getByRole('heading', { name: 'Topics you can follow' })).toBeTruthy();
  const topic = within(screen.getByRole('group', { name: 'New releases' }));
  const follows = topic.getByRole<HTMLInputElement>('switch', { name: 'In app' });
  expect(follows.checked, 'off until the reader follows it').toBe(false);
  await actor.click(follows);
  await waitFor(async () =>
    expect(
      await supabase().database.query('select kinds from notification_preferences where user_id = $1', [
        ada.id,
      ]),
    ).toEqual([
      { kinds: { deployed: { email: true }, build_failed: { in_app: false }, releases: { in_app: true } } },
    ]),
  );
});

test('a button in a row says that its function fails, then calls it with the notification, marks it as read and says so', async () => {
  await send({
    actions: [
      { label: 'Retry', callback: 'retry_build' },
      { label: 'Show the log', url: '/builds/7' },
    ],
  });
  const { actor } = await open('/home');
  const link = await screen.findByRole('link', { name: 'Show the log: main failed' });
  expect(link.getAttribute('href')).toBe('/builds/7');
  const press = async () => actor.click(screen.getByRole('button', { name: 'Retry: main failed' }));
  await supabase().database.exec('alter function public.retry_build rename to other_build');
  await press();
  expect(await screen.findByText('Something went wrong. Try again.')).toBeTruthy();
  await supabase().database.exec('alter function public.other_build rename to retry_build');
  await press();
  expect(await screen.findByText('Done: Retry')).toBeTruthy();
  expect(screen.queryByRole('button', { name: 'Retry: main failed' })).toBeNull();
  await waitFor(async () =>
    expect(
      await supabase().database.query(
        'select n.status from notifications n join retries r on r.notification_id = n.id',
      ),
    ).toEqual([{ status: 'read' }]),
  );
});
