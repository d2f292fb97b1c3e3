import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseEnv } from 'node:util';
import { accountChanges, codeMailKinds } from '../services/auth/mail/mail-template.ts';
import { StartError } from '../platform/start-error.ts';
import type { FunctionSettings } from '../services/functions/functions-service.ts';
import type { ApiKeySettings } from '../keys/keys.ts';
import { supabaseFolder } from './project-folder.ts';
import type { LocalSupabaseOptions } from './options.ts';
import { present, readAuthSettings } from './auth-settings.ts';
import { type ConfigReader, createConfigReader, fileName } from './config-reader.ts';
import { readSigningKeys } from './signing-keys.ts';

/** `supabase/config.toml` as options of the embedded server. */
export interface ProjectConfig {
  readonly options: Pick<
    LocalSupabaseOptions,
    | 'apiKeys'
    | 'siteUrl'
    | 'redirectUrls'
    | 'auth'
    | 'mailTemplates'
    | 'smtp'
    | 'rest'
    | 'storage'
    | 'bucketFolders'
    | 'functionSettings'
    | 'functionEnv'
    | 'databaseSettings'
    | 'seed'
  >;
  /** The ports of the API, the database, the mailbox and its SMTP server; the defaults are the CLI's. */
  readonly ports: ProjectPorts;
  /** Settings without effect here: unknown ones, and those that the embedded server does not support. */
  readonly withoutEffect: readonly string[];
  /** The names of `env(NAME)` that no variable has; such settings are empty. */
  readonly unsetVariables: readonly string[];
}

export interface ProjectPorts {
  readonly api: number;
  readonly database: number;
  readonly mailbox: number;
  /** Undefined unless the file sets it. */
  readonly smtp?: number;
}

export interface ProjectConfigOptions {
  /** The folder that contains `supabase/`; paths are relative to it. Default: the working directory. */
  readonly project?: string | URL | undefined;
  /** The text of the file. Default: that of `supabase/config.toml`, or the defaults without the file. */
  readonly text?: string;
  /**
   * The values of `env(NAME)`. Default: the process's environment, then the files `.env.development.local`, `.env.local`,
   * `.env.development` and `.env` of `supabase/` and of the project's folder, as with the vendor's CLI; `SUPABASE_ENV`
   * takes the place of `development`.
   */
  readonly environment?: Readonly<Record<string, string | undefined>>;
}

/**
 * Reads the project's settings, so that development behaves as the project that the file is pushed to.
 *
 * @throws {Error} naming the key, for a value of another type than the vendor's CLI accepts.
 */
export function readProjectConfig(options: ProjectConfigOptions = {}): ProjectConfig {
  const folder = supabaseFolder(options.project);
  const { text = readConfigFile(folder), environment = readEnvironment(folder) } = options;
  const config = createConfigReader(text, environment);
  const smtp = readSmtp(config);
  const siteUrl = config.text('auth.site_url');
  const redirectUrls = config.texts('auth.additional_redirect_urls');
  const mailTemplates = readMailTemplates(config, folder);
  const settings = {
    apiKeys: readApiKeys(config, folder),
    ...(siteUrl !== undefined && { siteUrl }),
    ...(redirectUrls !== undefined && { redirectUrls }),
    auth: readAuthSettings(config, smtp !== undefined),
    mailTemplates,
    ...(smtp && { smtp }),
    rest: readApi(config),
    storage: readStorage(config),
    bucketFolders: readBucketFolders(config, folder),
    functionSettings: readFunctions(config),
    functionEnv: readSecrets(config),
    databaseSettings: readDatabase(config),
    seed: config.boolean('db.seed.enabled') ?? true,
  };
  return {
    options: settings,
    ports: readPorts(config),
    withoutEffect: config.unread().filter((path) => !isAboutOtherTools(path, config)),
    unsetVariables: config
      .unset()
      .filter(({ path }) => !isAboutOtherTools(path, config))
      .map(({ name }) => name),
  };
}

const warned = new Set<string>();

/** Warns of the variables that have no value; once in a process, because tests start many instances. */
export function warnOfUnsetVariables({ unsetVariables }: ProjectConfig): void {
  for (const name of unsetVariables.filter((each) => !warned.has(each))) {
    warned.add(name);
    console.warn(`${fileName}: the environment variable ${name} is unset, so the setting is empty`);
  }
}

/**
 * Adds the settings of the project's file, if there is one, to options. Ports and SMTP are left out: tests use any free
 * port, and their mails stay in the mailbox.
 *
 * @throws {StartError} for a setting of another type than the vendor's CLI accepts.
 */
export function withProjectConfig(options: LocalSupabaseOptions): LocalSupabaseOptions {
  if (options.config === false || !existsSync(new URL('config.toml', supabaseFolder(options.project))))
    return options;
  const config = readProjectConfigOrFail(options.project);
  warnOfUnsetVariables(config);
  const configured = config.options;
  const merged = Object.entries(configured)
    .filter(([name]) => name !== 'smtp')
    .map(([name, value]) => [name, mergeSections(value, options[name as keyof typeof configured])]);
  return { ...options, ...(Object.fromEntries(merged) as typeof configured) };
}

const isSection = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const mergeSections = (configured: unknown, own: unknown): unknown =>
  isSection(configured) && isSection(own) ? { ...configured, ...own } : (own ?? configured);

function readProjectConfigOrFail(project: string | URL | undefined): ProjectConfig {
  try {
    return readProjectConfig({ project });
  } catch (problem) {
    throw new StartError(problem instanceof Error ? problem.message : String(problem), problem);
  }
}

/** Settings of tools outside of the embedded server, which cause no warning. */
const otherTools =
  /^(?:project_id|(?:api|auth|realtime|storage|inbucket|local_smtp|studio|edge_runtime|analytics)\.enabled|db\.shadow_port|(?:inbucket|local_smtp)\.pop3_port|db\.(?:major_version|root_key|pooler\..*|health_timeout)|studio\..*|analytics\..*|edge_runtime\.(?:policy|inspector_port|deno_version)|realtime\.(?:ip_version|max_header_length)|storage\.(?:analytics|vector)\.max_\w+|experimental\.pgdelta\.(?:enabled|format_options))$/;

/** Settings of a disabled table have no effect on a project either. */
function isAboutOtherTools(path: string, config: ConfigReader): boolean {
  if (otherTools.test(path)) return true;
  const table = path.slice(0, path.lastIndexOf('.'));
  return config.boolean(`${table}.enabled`) === false;
}

function readPorts(config: ConfigReader): ProjectPorts {
  const read = (path: string) => {
    const port = config.number(path);
    if (port === undefined || (Number.isInteger(port) && port > 0 && port < 65_536)) return port;
    throw new Error(`supabase/config.toml: ${path} must be a port, not ${port}`);
  };
  // The CLI has called the table `local_smtp` since version 3, and refuses the earlier name.
  const smtp = read('local_smtp.smtp_port') ?? read('inbucket.smtp_port');
  return {
    api: read('api.port') ?? 54_321,
    database: read('db.port') ?? 54_322,
    mailbox: read('local_smtp.port') ?? read('inbucket.port') ?? 54_324,
    ...(smtp !== undefined && { smtp }),
  };
}

/** Empty values count as unset, for example those of missing environment variables. */
function readApiKeys(config: ConfigReader, folder: URL): LocalSupabaseOptions['apiKeys'] & object {
  const text = (name: string) => config.text(`auth.${name}`) || undefined;
  const jwtSecret = text('jwt_secret');
  if (jwtSecret !== undefined && jwtSecret.length < 16)
    throw new Error('supabase/config.toml: auth.jwt_secret must have at least 16 characters');
  return present<ApiKeySettings>({
    jwtSecret,
    anonKey: text('anon_key'),
    serviceRoleKey: text('service_role_key'),
    publishableKey: text('publishable_key'),
    secretKey: text('secret_key'),
    signingKeys: readSigningKeys(config, folder),
  });
}

function readEnvironment(folder: URL): Readonly<Record<string, string | undefined>> {
  const name = process.env['SUPABASE_ENV'] || 'development';
  const names = [`.env.${name}.local`, ...(name === 'test' ? [] : ['.env.local']), `.env.${name}`, '.env'];
  const files = [folder, new URL('../', folder)].flatMap((place) =>
    names.map((file) => new URL(file, place)),
  );
  const values = files.filter((file) => existsSync(file)).map((file) => parseEnv(readFileSync(file, 'utf8')));
  return Object.assign({}, ...values.toReversed(), process.env) as Record<string, string | undefined>;
}

function readConfigFile(folder: URL): string {
  const file = new URL('config.toml', folder);
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}

function readMailTemplates(
  config: ConfigReader,
  folder: URL,
): LocalSupabaseOptions['mailTemplates'] & object {
  return Object.fromEntries([
    ...codeMailKinds.map(
      (kind) => [kind, readMailTemplate(config, folder, `auth.email.template.${kind}`)] as const,
    ),
    ...accountChanges.map(
      (change) =>
        [
          `${change}_notification`,
          readMailTemplate(config, folder, `auth.email.notification.${change}`),
        ] as const,
    ),
  ]);
}

function readMailTemplate(
  config: ConfigReader,
  folder: URL,
  table: string,
): { subject?: string; file?: URL } {
  const subject = config.text(`${table}.subject`);
  const path = config.text(`${table}.content_path`);
  // The CLI resolves some paths from the project's folder and others from `supabase/`.
  const files = path === undefined ? [] : [new URL(path, new URL('../', folder)), new URL(path, folder)];
  const file = files.find((candidate) => existsSync(candidate));
  if (path !== undefined && !file)
    throw new Error(`supabase/config.toml: ${table}.content_path: there is no file ${path}`);
  return { ...(subject !== undefined && { subject }), ...(file && { file }) };
}

function readSmtp(config: ConfigReader): LocalSupabaseOptions['smtp'] {
  const text = (name: string) => config.text(`auth.email.smtp.${name}`) ?? '';
  const smtp = {
    host: text('host'),
    port: config.number('auth.email.smtp.port') ?? 587,
    user: text('user'),
    password: text('pass'),
    adminEmail: text('admin_email'),
    senderName: text('sender_name'),
  };
  const isEnabled = config.boolean('auth.email.smtp.enabled') ?? smtp.host !== '';
  if (!isEnabled) return undefined;
  const missing = [...(smtp.host === '' ? ['host'] : []), ...(smtp.adminEmail === '' ? ['admin_email'] : [])];
  if (missing.length > 0)
    throw new Error(`supabase/config.toml: auth.email.smtp.${missing[0]} is missing or empty`);
  return smtp;
}

function readApi(config: ConfigReader): LocalSupabaseOptions['rest'] & object {
  const schemas = config.texts('api.schemas')?.filter((schema) => schema !== 'graphql_public');
  const extraSearchPath = config.texts('api.extra_search_path');
  const maxRows = config.number('api.max_rows');
  return {
    // An empty list means the default, because the API always serves a schema.
    ...(schemas && schemas.length > 0 && { schemas }),
    ...(extraSearchPath && { extraSearchPath }),
    ...(maxRows !== undefined && { maxRows }),
  };
}

function readStorage(config: ConfigReader): LocalSupabaseOptions['storage'] & object {
  const buckets = config.tables('storage.buckets').map((name) => {
    const path = `storage.buckets.${name}`;
    const isPublic = config.boolean(`${path}.public`);
    const fileSizeLimitBytes = config.bytes(`${path}.file_size_limit`);
    const allowedMimeTypes = config.texts(`${path}.allowed_mime_types`);
    return [
      name,
      {
        ...(isPublic !== undefined && { public: isPublic }),
        ...(fileSizeLimitBytes !== undefined && { fileSizeLimitBytes }),
        ...(allowedMimeTypes && { allowedMimeTypes }),
      },
    ] as const;
  });
  const fileSizeLimitBytes = config.bytes('storage.file_size_limit');
  return {
    ...(fileSizeLimitBytes !== undefined && { fileSizeLimitBytes }),
    buckets: Object.fromEntries(buckets),
  };
}

/** The CLI resolves the paths from `supabase/`. */
function readBucketFolders(config: ConfigReader, folder: URL): Readonly<Record<string, string>> {
  const folders = config.tables('storage.buckets').flatMap((name): (readonly [string, string])[] => {
    const path = config.text(`storage.buckets.${name}.objects_path`) || undefined;
    return path === undefined ? [] : [[name, resolve(fileURLToPath(folder), path)]];
  });
  return Object.fromEntries(folders);
}

function readDatabase(config: ConfigReader): LocalSupabaseOptions['databaseSettings'] & object {
  const migrations = config.boolean('db.migrations.enabled');
  const schemaFolder = config.text('experimental.pgdelta.declarative_schema_path');
  const ownPaths = config.texts('db.migrations.schema_paths') ?? [];
  const schemaPaths =
    ownPaths.length === 0 && schemaFolder ? [`${schemaFolder.replace(/\/$/, '')}/**/*.sql`] : ownPaths;
  const seedPaths = config.texts('db.seed.sql_paths');
  const secretNames = config.keys('db.vault');
  const secret = (name: string) => [name, config.text(`db.vault.${name}`) ?? ''] as const;
  const exposesNewTables = config.boolean('api.auto_expose_new_tables');
  return {
    ...(migrations !== undefined && { migrations }),
    ...(schemaPaths.length > 0 && { schemaPaths }),
    ...(seedPaths && { seedPaths }),
    ...(secretNames.length > 0 && { vaultSecrets: Object.fromEntries(secretNames.map(secret)) }),
    ...(exposesNewTables !== undefined && { exposesNewTables }),
  };
}

function readFunctions(config: ConfigReader): LocalSupabaseOptions['functionSettings'] & object {
  const settings = config.tables('functions').map((name) => {
    const enabled = config.boolean(`functions.${name}.enabled`);
    // Static files are read from the disk.
    config.touch(`functions.${name}.static_files`);
    const own = present<FunctionSettings>({
      enabled,
      verifyJwt: config.boolean(`functions.${name}.verify_jwt`),
      importMap: config.text(`functions.${name}.import_map`) || undefined,
      entrypoint: config.text(`functions.${name}.entrypoint`) || undefined,
    });
    return [name, own] as const;
  });
  return Object.fromEntries(settings);
}

/** Secrets of the functions from the file, with values from the environment for `env(NAME)`. */
function readSecrets(config: ConfigReader): Readonly<Record<string, string>> {
  const table = 'edge_runtime.secrets';
  return Object.fromEntries(config.keys(table).map((name) => [name, config.text(`${table}.${name}`) ?? '']));
}
