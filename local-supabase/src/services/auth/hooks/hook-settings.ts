/** The hooks of the service, named as in `[auth.hook]` of `config.toml`. */
export const hookNames = [
  'before_user_created',
  'custom_access_token',
  'mfa_verification_attempt',
  'password_verification_attempt',
  'send_email',
  'send_sms',
] as const;
export type HookName = (typeof hookNames)[number];

export interface HookSetting {
  /** `pg-functions://postgres/<schema>/<function>`, an `https:` URL, or an `http:` URL of this machine. */
  readonly uri: string;
  /** Keys that sign requests to the endpoint: `v1,whsec_<base64>`. Default none. */
  readonly secrets?: readonly string[];
}

export type HookSettings = Readonly<Partial<Record<HookName, HookSetting>>>;

/** A parsed hook: a function of the database, or an endpoint. */
export type HookTarget =
  | { readonly type: 'function'; readonly uri: string; readonly schema: string; readonly name: string }
  | { readonly type: 'endpoint'; readonly uri: string; readonly secrets: readonly string[] };

const databaseName = /^[a-zA-Z_]\w{0,62}$/;
const secretForm = /^(?:v1,whsec_[\w+/=]{32,88}|v1a,whpk_[\w+/=]{44,}:whsk_[\w+/=]{44,}$)/;
const localHosts: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]', 'host.docker.internal']);

/** Parses a hook. Throws an Error with its name for an invalid URI or secret. */
export function parseHook(name: HookName, { uri, secrets = [] }: HookSetting): HookTarget {
  const refused = (why: string): Error => new Error(`The auth hook ${name} (${uri}): ${why}`);
  if (!URL.canParse(uri)) throw refused('its uri is not a URL');
  const { protocol, hostname, pathname } = new URL(uri);
  if (protocol === 'pg-functions:') {
    const [, schema = '', functionName = ''] = pathname.split('/');
    if (!databaseName.test(schema) || !databaseName.test(functionName))
      throw refused('its path has to name a schema and a function');
    return { type: 'function', uri, schema, name: functionName };
  }
  if (protocol !== 'https:' && protocol !== 'http:')
    throw refused('only pg-functions and https are supported');
  if (protocol === 'http:' && !localHosts.has(hostname))
    throw refused('http is allowed for this machine only');
  if (!secrets.every((secret) => secretForm.test(secret))) throw refused('a secret has another form');
  return { type: 'endpoint', uri, secrets };
}

/** Throws as `parseHook` does. */
export function parseHooks(settings: HookSettings): ReadonlyMap<HookName, HookTarget> {
  const targets = new Map<HookName, HookTarget>();
  for (const name of hookNames) {
    const setting = settings[name];
    if (setting !== undefined) targets.set(name, parseHook(name, setting));
  }
  return targets;
}
