import { readFileSync } from 'node:fs';
import { parse } from 'smol-toml';

export interface SignInWays {
  readonly providerCount: number;
  readonly passkeys: boolean;
}

const configFile = new URL('../supabase/config.toml', import.meta.url);

/** Matches the name of a provider, as `GET /auth/v1/settings` has it. */
const providerName = /^[a-z][a-z_]*$/;

/**
 * Reads the ways to sign in for the build, whose sign-in screen reserves the height of their buttons.
 *
 * @param list `VITE_SIGN_IN_WAYS`, such as `google,github,passkey`, or `none`: what the project enables if it differs from
 * `supabase/config.toml`. Default: what that file enables.
 * @throws if the list has another form.
 */
export function readSignInWays(list?: string, text: string = readFileSync(configFile, 'utf8')): SignInWays {
  if (list) return parseSignInWays(list);
  const { auth } = parse(text) as ProjectConfig;
  const providers = Object.values(auth?.external ?? {});
  return {
    providerCount: providers.filter(({ enabled }) => enabled === true).length,
    passkeys: auth?.passkey?.enabled ?? false,
  };
}

/** The settings of `supabase/config.toml` for signing in. */
interface ProjectConfig {
  readonly auth?: {
    readonly external?: Readonly<Record<string, { readonly enabled?: boolean }>>;
    readonly passkey?: { readonly enabled?: boolean };
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
