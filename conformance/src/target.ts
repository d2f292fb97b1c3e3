import type { ClientAdapter } from './any-client/client-adapter.ts';
import type { WireFetch } from './wire.ts';

/** The server under audit. */
export interface ConformanceTarget {
  /** The URL of the auth service, without a trailing slash: `<project>/auth/v1`, or a bare auth server's root. */
  readonly authUrl: string;
  /** The URL of the REST service; null without one. */
  readonly restUrl: string | null;
  /** The URL of storage; null without one. */
  readonly storageUrl: string | null;
  /** The websocket's URL without its query; null without one. */
  readonly realtimeUrl: string | null;
  readonly anonKey: string;
  /** The service role's key or JWT. Null skips the audits that need it. */
  readonly serviceKey: string | null;
  /** The legacy secret, with which the audits sign expired tokens. Default: they try that of the vendor's local stack. */
  readonly jwtSecret?: string;
  /** Root of a Mailpit HTTP interface that receives the target's mails. Null skips the audits that need it. */
  readonly mailboxUrl: string | null;
  /** Whether codes that the target sends by SMS arrive in that mailbox too. */
  readonly smsInMailbox: boolean;
  /** A page that the target's redirect allow-list permits. */
  readonly redirectTo: string;
  readonly fetch: WireFetch;
  /** The client under audit, for audits of any client. Without it they are not run. */
  readonly client?: ClientAdapter;
  /** Is told of each text frame of the realtime service. */
  readonly onFrame?: (direction: 'sent' | 'received', text: string) => void;
  /** Runs SQL as the database's owner, with `$1` for the first value. Without it the audits that need it are skipped. */
  readonly query?: (text: string, values?: readonly unknown[]) => Promise<unknown>;
}

/** Thrown by a running audit when the target lacks a feature that it needs. */
export class NotRunError extends Error {
  override readonly name = 'NotRunError';
}
