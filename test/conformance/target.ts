import type { WireFetch } from './wire.ts';

/** The server under audit. */
export interface ConformanceTarget {
  /** Where the auth service answers, without a trailing slash: `<project>/auth/v1`, or a bare auth server's root. */
  readonly authUrl: string;
  /** Where the REST service answers; null where there is none. */
  readonly restUrl: string | null;
  /** Where storage answers; null where there is none. */
  readonly storageUrl: string | null;
  /** The websocket's URL without its query; null where there is none. */
  readonly realtimeUrl: string | null;
  readonly anonKey: string;
  /** The service role's key or JWT; null: what needs it is not run. */
  readonly serviceKey: string | null;
  /** Root of a Mailpit HTTP interface that receives the target's mails; null: what needs it is not run. */
  readonly mailboxUrl: string | null;
  /** Whether codes that the target sends by SMS arrive in that mailbox too. */
  readonly smsInMailbox: boolean;
  /** A page that the target's redirect allow-list permits. */
  readonly redirectTo: string;
  readonly fetch: WireFetch;
}
