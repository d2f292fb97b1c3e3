import type { MailTemplates } from './mail-templates.ts';
import type { AuthSettings } from '../auth/settings.ts';
import type { FunctionHandler, FunctionSettings } from '../functions/functions-service.ts';
import type { ApiKeySettings } from '../keys/keys.ts';
import type { SmtpSettings } from '../mailbox/smtp-mailer.ts';
import type { RealtimeSettings } from '../realtime/settings.ts';
import type { ApiSettings } from '../rest/settings.ts';
import type { StorageSettings } from '../storage/configured-buckets.ts';
import type { AnsweredRequest } from '../http/answered-request.ts';
import type { DatabasePool } from './database-pool.ts';

/** Where a project keeps its SQL, from `[db]`. Paths and patterns are relative to `supabase/`. */
export interface DatabaseSettings {
  /** Whether migrations are applied. Default true. */
  readonly migrations?: boolean;
  /** Declarative schemas, which are applied where there are no migrations. Default `schemas/**\/*.sql`. */
  readonly schemaPaths?: readonly string[];
  /** What a new database gets after its migrations. Default `seed.sql`. */
  readonly seedPaths?: readonly string[];
  /** Secrets of `vault.secrets` in a new database, by name. Default: none. */
  readonly vaultSecrets?: Readonly<Record<string, string>>;
  /** Whether the roles of the API reach what migrations create in `public` without a grant. Default true. */
  readonly exposesNewTables?: boolean;
  /** Extensions that are loaded although no SQL of the project creates them, such as `pgtap`. */
  readonly loadedExtensions?: readonly string[];
}

export interface LocalSupabaseOptions {
  /**
   * The folder that contains the project's `supabase/`: migrations, seed, functions and templates are read from there.
   * Default: the working directory.
   */
  readonly project?: string | URL;
  /** The gateway's port on 127.0.0.1. 0 selects any free port; null, the default, means in-process only. */
  readonly port?: number | null;
  /** The mailbox's port on 127.0.0.1, with the same meaning of 0 and null. */
  readonly mailboxPort?: number | null;
  /**
   * The port of PostgreSQL on 127.0.0.1, for psql, database GUIs and migration tools, with the same meaning of 0 and null.
   * There is one session: a transaction of a client keeps the services waiting.
   */
  readonly databasePort?: number | null;
  /** The port at which the mailbox takes mails by SMTP. Default: any free one, opened when a function first runs. */
  readonly smtpPort?: number;
  /** The folder that keeps the data. Default: in memory. */
  readonly dataDir?: string;
  /**
   * A database of a real PostgreSQL, 15 or later, in place of the embedded one: `postgres://user:password@host:port/name`. The user
   * is a superuser, and the database is empty or was set up by an earlier start. The services share one session; SQL's clock cannot be moved,
   * and `databasePort` has no effect. Default: the embedded PostgreSQL.
   */
  readonly databaseUrl?: string;
  /** Where an in-memory database comes from, and returns to at the end. Default: each instance has a new one. */
  readonly databases?: DatabasePool;
  /**
   * Whether PostgreSQL runs in a thread of its own: a running statement can be canceled from the PostgreSQL port, and `close` ends
   * one that never would. Without `dataDir`, its files are in a temporary folder until `close`. Default false: `statement_timeout`
   * works without it, and an instance takes less memory; the command and the Vite plugin set it.
   */
  readonly databaseThread?: boolean;
  /** The API keys, from `[auth]`. Default: the demonstration keys of the vendor's local stack. */
  readonly apiKeys?: ApiKeySettings;
  /** The default target of links in mails. Default `http://localhost:5173`. */
  readonly siteUrl?: string;
  /**
   * Host names beside loopback ones under which the server is reached, or whose pages may use the service role and
   * websockets: of a tunnel, or of a container. Default: none.
   */
  readonly allowedHosts?: readonly string[];
  /** Patterns of further URLs to which a link may lead. Default: any port of localhost and 127.0.0.1. */
  readonly redirectUrls?: readonly string[];
  readonly auth?: Partial<AuthSettings>;
  /** Subjects and files of mails. Default: the files in `supabase/templates`. */
  readonly mailTemplates?: MailTemplates;
  /** Sends mails by SMTP instead of keeping them in the mailbox. */
  readonly smtp?: SmtpSettings;
  readonly rest?: ApiSettings;
  readonly storage?: StorageSettings;
  /** Folders whose files become objects of a bucket at the start, by the bucket's name. Default: none. */
  readonly bucketFolders?: Readonly<Record<string, string>>;
  readonly realtime?: Partial<RealtimeSettings>;
  /**
   * Handlers under /functions/v1/<name>, in this process. The modules of the project's `supabase/functions` run in Deno,
   * which starts with the first request to one.
   */
  readonly functions?: Readonly<Record<string, FunctionHandler>>;
  readonly functionSettings?: Readonly<Record<string, FunctionSettings>>;
  /** Secrets of the functions; they override the variables that the server sets. */
  readonly functionEnv?: Readonly<Record<string, string>>;
  /** Receives each line that a function in Deno prints. Default: the console. */
  readonly onFunctionOutput?: (name: string, line: string) => void;
  /** Is told of each answered request. Its path has no query, which may hold a token. */
  readonly onRequest?: (request: AnsweredRequest) => void;
  /** Receives internal errors. Default: the console. */
  readonly report?: (problem: unknown) => void;
  /** Milliseconds since the epoch. */
  readonly now?: () => number;
  readonly databaseSettings?: DatabaseSettings;
  /** Whether a new database gets `supabase/seed.sql`. Default true. */
  readonly seed?: boolean;
}
