import { fireEvent, screen, waitFor } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import { ada, seedPassword, useLocalSupabase } from '../../../support/local-supabase.ts';
import { renderApp } from '../../../support/render-app.tsx';

const supabase = useLocalSupabase({ auth: { externalProviders: [], captchaToken: 'human' } });
const configuration = { captcha: { provider: 'turnstile', siteKey: 'site-key' } } as const;

interface WidgetOptions {
  readonly callback: (token: string) => void;
  readonly 'expired-callback': () => void;
}
type RenderWidget = (container: HTMLElement, options: WidgetOptions) => string;

afterEach(() => {
  Reflect.deleteProperty(window, 'turnstile');
  for (const script of document.head.querySelectorAll('script')) script.remove();
});

test('a form shows the configured captcha, sends its token, and removes it with that token when it is finished', async () => {
  const widgets: WidgetOptions[] = [];
  const render: RenderWidget = (_container, options) => `widget-${widgets.push(options)}`;
  const remove = vi.fn<(widget: string) => void>();
  Object.assign(window, { turnstile: { render, remove } });
  const { actor, url } = await renderApp('/login', { supabase: supabase(), configuration });
  const email = await screen.findByLabelText('Email');
  await waitFor(() => expect(widgets).not.toHaveLength(0));
  await actor.clear(email);
  await actor.type(email, ada.email);
  const password = screen.getByLabelText('Password');
  const first = widgets.length;
  widgets[first - 1]?.callback('human');
  await actor.type(password, 'wrong-password{Enter}');
  await waitFor(() => expect(widgets.length).toBeGreaterThan(first));
  expect(remove).toHaveBeenCalledWith(`widget-${first}`);
  await screen.findByText(/password/, { selector: '[role=alert] *, [id$=-error]' });
  widgets.at(-1)?.callback('human');
  widgets[first - 1]?.['expired-callback']();
  await actor.clear(password);
  await actor.type(password, `${seedPassword}{Enter}`);
  await waitFor(() => expect(url()).toBe('/home'));
});

test('a form shows an error when the captcha has no token', async () => {
  const { actor } = await renderApp('/login', { supabase: supabase() });
  const email = await screen.findByLabelText('Email');
  await actor.clear(email);
  await actor.type(email, ada.email);
  await actor.type(screen.getByLabelText('Password'), `${seedPassword}{Enter}`);
  expect(await screen.findByText(/^We couldn’t confirm that you’re human/)).toBeTruthy();
});

test('a form says that the captcha cannot be loaded', async () => {
  await renderApp('/login', { supabase: supabase(), configuration });
  await waitFor(() => expect(document.head.querySelector('script')).not.toBeNull());
  fireEvent.error(document.head.querySelector('script') ?? document.head);
  expect(await screen.findByText(/^The check couldn’t be loaded/)).toBeTruthy();
});
