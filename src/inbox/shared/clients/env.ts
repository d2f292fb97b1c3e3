import { isLocalPath } from '../routes.ts';

/** The build-time configuration. */
export interface Configuration {
  /** URL of the Supabase project, without a trailing slash. */
  readonly supabaseUrl: string;
  readonly supabaseAnonKey: string;
  /** The application's public URL, without a trailing slash; `null`: the origin of the page. */
  readonly siteUrl: string | null;
  /** URL template of an entity's page, with `{entity_type}` and `{entity_id}`; `null`: entities have no pages. */
  readonly entityUrl: string | null;
  /** The captcha that the project requires; the auth server does not announce it. */
  readonly captcha: CaptchaConfiguration | null;
  /** The public VAPID key (RFC 8292) that push subscriptions name; `null`: the project sends no push messages. */
  readonly pushPublicKey: string | null;
  /** Whether changes of rows arrive by broadcasts of the database, the default; else by `postgres_changes`. */
  readonly usesBroadcasts: boolean;
  /** Where errors of the page are posted as JSON, for the team; `null`: nowhere. */
  readonly errorReportsUrl: string | null;
}

export interface CaptchaConfiguration {
  readonly provider: 'hcaptcha' | 'turnstile';
  readonly siteKey: string;
}

export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
  readonly variable: string;
  constructor(variable: string, detail = '') {
    super(`Supabase configuration incomplete: ${variable} is not set${detail}`);
    this.variable = variable;
  }
}

/** @throws {ConfigurationError} that names the first variable that is missing or bad. */
export function parseConfiguration(env: Readonly<Record<string, unknown>>): Configuration {
  const supabaseUrl = parseUrl('VITE_SUPABASE_URL', env);
  if (supabaseUrl === null) throw new ConfigurationError('VITE_SUPABASE_URL');
  const supabaseAnonKey = read('VITE_SUPABASE_ANON_KEY', env);
  if (supabaseAnonKey === '') throw new ConfigurationError('VITE_SUPABASE_ANON_KEY');
  return {
    supabaseUrl,
    supabaseAnonKey,
    siteUrl: parseUrl('VITE_SITE_URL', env),
    entityUrl: parseEntityUrl(env),
    captcha: parseCaptcha(env),
    pushPublicKey: read('VITE_PUSH_PUBLIC_KEY', env) || null,
    usesBroadcasts: parseLiveSource(env) === 'broadcast',
    errorReportsUrl: parseUrl('VITE_ERROR_REPORTS_URL', env),
  };
}

function parseLiveSource(env: Readonly<Record<string, unknown>>): 'broadcast' | 'postgres-changes' {
  const source = read('VITE_LIVE_SOURCE', env) || 'broadcast';
  if (source === 'broadcast' || source === 'postgres-changes') return source;
  throw new ConfigurationError('VITE_LIVE_SOURCE', ' (it must be broadcast or postgres-changes)');
}

function parseCaptcha(env: Readonly<Record<string, unknown>>): CaptchaConfiguration | null {
  const siteKey = read('VITE_CAPTCHA_SITE_KEY', env);
  if (siteKey === '') return null;
  return { provider: read('VITE_CAPTCHA_PROVIDER', env) === 'turnstile' ? 'turnstile' : 'hcaptcha', siteKey };
}

/** A path of this site, or an http or https URL. */
function parseEntityUrl(env: Readonly<Record<string, unknown>>): string | null {
  const template = read('VITE_ENTITY_URL', env);
  return isLocalPath(template) ? template : parseUrl('VITE_ENTITY_URL', env);
}

function parseUrl(variable: string, env: Readonly<Record<string, unknown>>): string | null {
  const value = read(variable, env);
  if (value === '') return null;
  const url = URL.canParse(value) ? new URL(value) : null;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
    throw new ConfigurationError(variable, ' (it must be an http or https URL)');
  }
  return value.replace(/\/+$/, '');
}

function read(variable: string, env: Readonly<Record<string, unknown>>): string {
  const value = env[variable];
  return typeof value === 'string' ? value.trim() : '';
}
