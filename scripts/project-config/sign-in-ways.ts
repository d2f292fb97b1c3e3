import { readFileSync } from 'node:fs';
import { type ConfigReader, createConfigReader } from './config-reader.ts';

/** The ways to sign in beside the form. */
export interface SignInWays {
  readonly providerCount: number;
  readonly passkeys: boolean;
}

const configFile = new URL('../../supabase/config.toml', import.meta.url);

/** Matches the name of a provider, as `GET /auth/v1/settings` has it. */
const providerName = /^[a-z][a-z_]*$/;

/**
 * Reads them for the build, whose sign-in screen reserves the height of their buttons.
 *
 * @param list `VITE_SIGN_IN_WAYS`, such as `google,github,passkey`, or `none`: what the project enables if it differs from
 * `supabase/config.toml`. Default: what that file enables.
 * @throws if the list has another form.
 */
export function readSignInWays(list?: string, text: string = readFileSync(configFile, 'utf8')): SignInWays {
  if (list) return parseSignInWays(list);
  const config = createConfigReader(text, {});
  return {
    providerCount: readProviders(config)?.length ?? 0,
    passkeys: config.boolean('auth.passkey.enabled') ?? false,
  };
}

function parseSignInWays(list: string): SignInWays {
  if (list.trim() === 'none') return { providerCount: 0, passkeys: false };
  const names = new Set(list.split(',').map((name) => name.trim()));
  const passkeys = names.delete('passkey');
  if (![...names].every((name) => providerName.test(name)))
    throw new Error(`VITE_SIGN_IN_WAYS is not a list such as google,github,passkey: ${list}`);
  return { providerCount: names.size, passkeys };
}

/** The enabled providers; undefined if none is configured. */
export function readProviders(config: ConfigReader): readonly string[] | undefined {
  const names = config.tables('auth.external');
  const enabled = names.filter((name) => config.boolean(`auth.external.${name}.enabled`) === true);
  return names.length === 0 ? undefined : enabled;
}
