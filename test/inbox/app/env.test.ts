import { expect, test } from 'vitest';
import { parseConfiguration } from '../../../src/inbox/shared/clients/env.ts';

const complete = { VITE_SUPABASE_URL: 'https://project.supabase.co/', VITE_SUPABASE_ANON_KEY: 'key' };

test('the configuration is read from the environment', () => {
  expect(parseConfiguration({ ...complete, VITE_SITE_URL: ' https://inbox.example/ ' })).toEqual({
    supabaseUrl: 'https://project.supabase.co',
    supabaseAnonKey: 'key',
    entityUrl: null,
    siteUrl: 'https://inbox.example',
    captcha: null,
    pushPublicKey: null,
    usesBroadcasts: true,
    errorReportsUrl: null,
  });
});

test.each([
  ['broadcast', true],
  ['postgres-changes', false],
])('the live source %s is chosen by its name', (source, usesBroadcasts) => {
  expect(parseConfiguration({ ...complete, VITE_LIVE_SOURCE: source }).usesBroadcasts).toBe(usesBroadcasts);
});

test('another live source is refused by its name', () => {
  expect(() => parseConfiguration({ ...complete, VITE_LIVE_SOURCE: 'postgres_changes' })).toThrow(
    'VITE_LIVE_SOURCE is not set (it must be broadcast or postgres-changes)',
  );
});

test.each(['VITE_SUPABASE_URL', 'VITE_SUPABASE_ANON_KEY'])(
  'the error of the configuration without %s has the specified text',
  (variable) => {
    expect(() => parseConfiguration({ ...complete, [variable]: ' ' })).toThrow(
      new RegExp(`^Supabase configuration incomplete: ${variable} is not set$`),
    );
  },
);

test.each(['ftp://project.example', 'project.supabase.co', 'javascript:alert(1)'])(
  'the configuration refuses the URL %s',
  (url) => {
    expect(() => parseConfiguration({ ...complete, VITE_SUPABASE_URL: url })).toThrow(
      /^Supabase configuration incomplete: VITE_SUPABASE_URL is not set \(it must be an http or https URL\)$/,
    );
  },
);

test('the configuration names a captcha only with its site key', () => {
  expect(parseConfiguration({ ...complete, VITE_CAPTCHA_PROVIDER: 'turnstile' }).captcha).toBeNull();
  const env = { ...complete, VITE_CAPTCHA_PROVIDER: 'turnstile', VITE_CAPTCHA_SITE_KEY: 'site' };
  expect(parseConfiguration(env).captcha).toEqual({ provider: 'turnstile', siteKey: 'site' });
});

test.each(['https://example.com/{entity_type}/{entity_id}', '/things/{entity_id}'])(
  'the configuration accepts the entity URL %s',
  (template) =>
    expect(parseConfiguration({ ...complete, VITE_ENTITY_URL: template }).entityUrl).toBe(template),
);

test.each(['javascript:alert(1)', '//elsewhere.example/{entity_id}'])(
  'the configuration refuses the entity URL %s',
  (template) =>
    expect(() => parseConfiguration({ ...complete, VITE_ENTITY_URL: template })).toThrow('VITE_ENTITY_URL'),
);
