import type { Database, Sql } from '../../database/database.ts';
import type { TokenKeys } from '../../keys/keys.ts';
import { CommitThenThrow } from './http/errors.ts';
import type { RateLimiter } from './http/rate-limiter.ts';
import type { HookName, HookTarget } from './hooks/hook-settings.ts';
import type { MailKind, MailTemplateSource } from './mail/mail-template.ts';
import type { AuthSettings } from './settings.ts';
import type { TestProvider } from './test-provider/test-provider.ts';

export interface OutgoingMail {
  readonly to: string;
  readonly subject: string;
  readonly html: string;
  readonly text: string;
}

export interface AuthMailer {
  send(mail: OutgoingMail): Promise<unknown> | void;
}

export interface OutgoingSms {
  /** Digits only, as stored. */
  readonly to: string;
  readonly text: string;
  readonly channel: string;
}

export interface SmsBox {
  send(message: OutgoingSms): Promise<unknown> | void;
}

/** How the service reaches hooks and the metadata of identity providers. */
export interface Transport {
  readonly fetch: (request: Request) => Promise<Response>;
  /** Resolves after `delayMs`; rejects when `signal` is aborted. */
  readonly sleep: (delayMs: number, signal: AbortSignal) => Promise<unknown>;
}

/** Reads the project's templates of a mail; a missing template is null. */
export type ReadTemplate = (kind: MailKind) => Promise<MailTemplateSource>;

export interface AuthContext {
  readonly database: Database;
  readonly keys: TokenKeys;
  readonly mailer: AuthMailer;
  readonly smsBox: SmsBox;
  readonly settings: AuthSettings;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly siteUrl: string;
  readonly redirectUrls: readonly string[];
  readonly readTemplate: ReadTemplate;
  readonly limiter: RateLimiter;
  readonly testProvider: TestProvider;
  readonly hooks: ReadonlyMap<HookName, HookTarget>;
  readonly transport: Transport;
  /** Receives errors that the protocol does not define. */
  readonly report: (error: unknown) => void;
}

/** A database transaction. Mails and text messages are sent within it, so that a failure to send rolls it back. */
export interface Transaction {
  readonly sql: Sql;
}

type Outcome<T> = { readonly value: T } | { readonly thrown: unknown };

/** Runs `task` in a transaction; a `CommitThenThrow` commits the writes and throws its cause. */
export async function inTransaction<T>(
  context: AuthContext,
  task: (tx: Transaction) => Promise<T>,
): Promise<T> {
  const outcome = await context.database.transaction<Outcome<T>>(async (sql) => {
    try {
      return { value: await task({ sql }) };
    } catch (error) {
      if (error instanceof CommitThenThrow) return { thrown: error.cause };
      throw error;
    }
  });
  if ('thrown' in outcome) throw outcome.thrown;
  return outcome.value;
}

export const nowDate = (context: AuthContext): Date => new Date(context.now());
