import { readFileSync } from 'node:fs';
import { type ConfigReader, createConfigReader } from './config-reader.ts';

/** The ways to sign in that `supabase/config.toml` enables beside the form. */
export interface SignInWays {
  readonly providerCount: number;
  readonly passkeys: boolean;
}

const configFile = new URL('../../supabase/config.toml', import.meta.url);

/** Reads them for the build, whose sign-in screen reserves the height of their buttons. */
export function readSignInWays(text: string = readFileSync(configFile, 'utf8')): SignInWays {
  const config = createConfigReader(text, {});
  return {
    providerCount: readProviders(config)?.length ?? 0,
    passkeys: config.boolean('auth.passkey.enabled') ?? false,
  };
}

/** The enabled providers; undefined if none is configured. */
export function readProviders(config: ConfigReader): readonly string[] | undefined {
  const names = config.tables('auth.external');
  const enabled = names.filter((name) => config.boolean(`auth.external.${name}.enabled`) === true);
  return names.length === 0 ? undefined : enabled;
}
