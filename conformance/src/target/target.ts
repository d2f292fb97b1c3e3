import type { ClientAdapter } from './client-adapter.ts';
import type { HookServer } from './hook-server.ts';
import type { WireFetch } from './wire.ts';

/** The server under audit. */
export interface ConformanceTarget {
  /** The URL of the auth service, without a trailing slash: `<project>/auth/v1`, or a bare auth server's root. */
  readonly authUrl: string;
  /** The URL of the REST service; null without one. */
  readonly restUrl: string | null;
  /** The URL of storage; null without one. */
  readonly storageUrl: string | null;
  /** The WebSocket URL without its query; null without one. */
  readonly realtimeUrl: string | null;
  readonly anonKey: string;
  /** The service role's key or JWT. Null skips the audits that need it. */
  readonly serviceKey: string | null;
  /** The legacy secret, with which audits sign expired tokens. Default: that of the vendor's local stack, if it is valid. */
  readonly jwtSecret?: string;
  /** The root of a Mailpit HTTP API that receives the target's mails. Null skips the audits that need it. */
  readonly mailboxUrl: string | null;
  /** Whether SMS codes of the target also arrive in that mailbox. */
  readonly smsInMailbox: boolean;
  /** A page in the target's redirect allow list. */
  readonly redirectTo: string;
  readonly fetch: WireFetch;
  /** The client under audit, for audits of any client. Without it they are not run. */
  readonly client?: ClientAdapter;
  /** Receives the calls of the auth service's hooks. Without it, audits of hooks are not run. */
  readonly hooks?: HookServer;
  /** Called with each text frame of the realtime service. */
  readonly onFrame?: (direction: 'sent' | 'received', text: string) => void;
  /** Runs SQL as the database's owner, with `$1` for the first value. Without it, audits that need it are not run. */
  readonly query?: (text: string, values?: readonly unknown[]) => Promise<unknown>;
  /** Whether audits may create tables with `query`, and change settings of REST for moments. Default false. */
  readonly createsTables?: boolean;
}

/** Thrown by a running audit when the target lacks a feature that it needs. */
export class NotRunError extends Error {
  override readonly name = 'NotRunError';
}
