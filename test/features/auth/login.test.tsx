import { screen, waitFor, within } from '@testing-library/react';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createLocalSupabase, type LocalSupabase } from '../../../local-supabase/server.ts';
import { renderApp } from '../../support/render-app.tsx';

const password = 'inbox-development';
let supabase: LocalSupabase;

beforeAll(async () => {
  supabase = await createLocalSupabase({ auth: { bcryptCost: 4, externalProviders: [] } });
});
afterAll(() => supabase.close());

describe('signing in', () => {
  test('with the right password leads to the inbox', async () => {
    const { actor, url } = await renderApp('/login', { supabase });
    await actor.type(await screen.findByLabelText('E-mail'), 'ada@example.com');
    await actor.type(screen.getByLabelText('Password'), password);
    await actor.click(screen.getByRole('button', { name: 'Sign in' }));
    await waitFor(() => expect(url()).toBe('/home'));
  });
});
