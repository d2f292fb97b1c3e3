import { readFile } from 'node:fs/promises';
import { fireEvent, render, within } from '@testing-library/react';
import { afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { Chat } from '../../examples/chat.tsx';
import { Consent } from '../../examples/consent.tsx';
import { Cursors } from '../../examples/cursors.tsx';
import type { ExampleDatabase } from '../../examples/database.ts';
import { Typing } from '../../examples/typing.tsx';
import { Workspace } from '../../examples/workspace.tsx';
import { createMemoryStore } from '../../src/auth-client/index.ts';
import { createPlatform } from '../../src/platform/index.ts';
import { createSupabaseClients } from '../../src/clients/supabase-clients.ts';
import { ada, grace, seedPassword, useLocalSupabase } from '../support/local-supabase.ts';
import { openNodeSocket } from '../support/node-socket.ts';
import { registerApplication } from '../support/oauth-application.ts';

const supabase = useLocalSupabase({
  port: 0,
  auth: { oauthServerEnabled: true, oauthDynamicRegistrationEnabled: true },
});
beforeAll(async () => supabase().database.exec(await readFile('examples/schema.sql', 'utf8')));
const mounted: (() => void)[] = [];
afterEach(() => mounted.splice(0).forEach((unmount) => unmount()));

/** A window of a user: separate clients and a part of the page. */
async function openWindow(
  { email }: typeof ada,
  show: (clients: ReturnType<typeof createClients>) => React.ReactNode,
) {
  const clients = createClients();
  onTestFinished(() => clients.close());
  await clients.auth.start();
  await clients.auth.signInWithPassword({ email, password: seedPassword });
  const { container, unmount } = render(show(clients), {
    container: document.body.appendChild(document.createElement('div')),
  });
  mounted.push(unmount);
  return { ...within(container), unmount };
}

function createClients() {
  const { url, anonKey, fetch } = supabase();
  const platform = createPlatform({ fetch, openSocket: openNodeSocket });
  return createSupabaseClients<ExampleDatabase>({
    url,
    apiKey: anonKey,
    platform,
    store: createMemoryStore(),
  });
}

describe('the examples', () => {
  it('share cursors between windows', async () => {
    const adaWindow = await openWindow(ada, ({ realtime }) => <Cursors realtime={realtime} name="ada" />);
    const graceWindow = await openWindow(grace, ({ realtime }) => (
      <Cursors realtime={realtime} name="grace" />
    ));
    await expect
      .poll(() => {
        // jsdom has no PointerEvent with coordinates.
        const moved = new MouseEvent('pointermove', { bubbles: true, clientX: 20, clientY: 30 });
        fireEvent(graceWindow.getByLabelText('Shared canvas'), moved);
        return adaWindow.queryByText('grace')?.style.transform;
      })
      .toBe('translate(20px, 30px)');
    graceWindow.unmount();
    await expect.poll(() => adaWindow.queryByText('grace')).toBeNull();
  });

  it('show online and typing users', async () => {
    const adaWindow = await openWindow(ada, ({ realtime }) => <Typing realtime={realtime} name="ada" />);
    const graceWindow = await openWindow(grace, ({ realtime }) => (
      <Typing realtime={realtime} name="grace" />
    ));
    const online = () => adaWindow.getAllByRole('listitem').map(({ textContent }) => textContent);
    await expect.poll(() => adaWindow.queryAllByRole('listitem').length).toBe(2);
    fireEvent.change(graceWindow.getByLabelText('Message'), { target: { value: 'H' } });
    await expect.poll(online).toEqual(['ada', 'grace is typing…']);
  });

  it('chat with a history', async () => {
    const adaWindow = await openWindow(ada, (clients) => <Chat clients={clients} name="ada" />);
    const graceWindow = await openWindow(grace, (clients) => <Chat clients={clients} name="grace" />);
    const say = (from: typeof adaWindow, text: string) => {
      fireEvent.change(from.getByLabelText('Message'), { target: { value: text } });
      fireEvent.click(from.getByRole('button', { name: 'Send' }));
    };
    say(adaWindow, 'Hello');
    await graceWindow.findByText('Hello');
    say(graceWindow, 'Hi Ada');
    await adaWindow.findByText('Hi Ada');
    const later = await openWindow(ada, (clients) => <Chat clients={clients} name="ada" />);
    await later.findByText('Hello');
    expect(later.getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual([
      'ada Hello',
      'grace Hi Ada',
    ]);
  });

  it('form a workspace of rooms and members', async () => {
    const adaWindow = await openWindow(ada, (clients) => <Workspace clients={clients} name="ada" />);
    const graceWindow = await openWindow(grace, (clients) => <Workspace clients={clients} name="grace" />);
    await adaWindow.findByText('grace in general');
    fireEvent.click(graceWindow.getByRole('button', { name: /# help/ }));
    await adaWindow.findByText('grace in help');
    expect(await adaWindow.findByRole('button', { name: '# help (1)' })).toBeTruthy();
  });

  describe('a consent page', () => {
    /** The page of a request by an application, after its first click. */
    async function openConsent(...[redirectUri, name]: [redirectUri?: string, name?: string]) {
      const application = await registerApplication(supabase(), redirectUri, name);
      const authorizationId = await application.authorize();
      const left: URL[] = [];
      const leave = (redirectUrl: string) => void left.push(new URL(redirectUrl));
      const page = await openWindow(ada, ({ auth }) => <Consent {...{ auth, authorizationId, leave }} />);
      fireEvent.click(await page.findByRole('button', { name: 'Continue' }));
      return { page, left };
    }

    it('shows the application, and grants its request', async () => {
      const { page, left } = await openConsent();
      await page.findByRole('heading', { name: 'Tool wants to use your account' });
      expect(page.getByText('ada@example.com · openid, email · leads to tool.example')).toBeTruthy();
      fireEvent.click(page.getByRole('button', { name: 'Allow' }));
      await expect.poll(() => left[0]?.host).toBe('tool.example');
      expect(left[0]?.searchParams.get('code')).toBeTruthy();
    });

    it('refuses the request without a code', async () => {
      const { page, left } = await openConsent();
      fireEvent.click(await page.findByRole('button', { name: 'Refuse' }));
      await expect.poll(() => left[0]?.searchParams.get('error')).toBe('access_denied');
      expect(left[0]?.searchParams.get('code')).toBeNull();
    });

    it('shows no host and no direction marks that an application chose', async () => {
      const { page } = await openConsent('com.example.tool://accounts.google.com/callback', 'Tool\u202e');
      await page.findByRole('heading', { name: 'Tool wants to use your account' });
      expect(page.getByText(/leads to com\.example\.tool:$/)).toBeTruthy();
    });
  });
});
