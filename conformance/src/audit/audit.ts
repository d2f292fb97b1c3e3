import type { AuditContext } from './audit-context.ts';

/** RFC 2119: a server that fails a MUST does not conform; a failed SHOULD is only reported. */
export type AuditLevel = 'MUST' | 'SHOULD';

export type ServerArea = 'auth' | 'rest' | 'realtime' | 'storage';

export type ClientArea =
  | 'auth-client'
  | 'rest-client'
  | 'realtime-client'
  | 'storage-client'
  | 'functions-client';

export type AuditArea = ServerArea | ClientArea;

export const serviceOf = (area: AuditArea): string => area.replace('-client', '');

/** Whether an area's audits are about servers or clients. */
export const setOf = (area: AuditArea): 'server' | 'client' =>
  area.endsWith('-client') ? 'client' : 'server';

/** A feature that an audit needs. On a target without it, the audit is reported as not run. */
export type AuditNeed =
  | 'database'
  | 'email-confirmation'
  | 'mailbox'
  | 'phone-confirmation'
  | 'service-key'
  | 'sms';

/**
 * The section that states the audited fact: a path in this package, with an anchor. The section names its public
 * source; `readSection` returns both.
 */
export type AuditSource = `protocol/${'auth' | 'rest' | 'realtime' | 'product' | 'storage'}.md#${string}`;

/** A statement about a server or a client, with the function that verifies it. Plain data, so that any runner can use it. */
export interface Audit {
  /** Permanent: an id never changes its meaning and is never reused. */
  readonly id: string;
  readonly area: AuditArea;
  readonly level: AuditLevel;
  /** The property of a conforming server or client, as a sentence. */
  readonly title: string;
  readonly source: AuditSource;
  readonly needs: readonly AuditNeed[];
  /** The version of the suite that introduced the audit. */
  readonly since: string;
  /** Resolves if the statement is true; rejects with the observed deviation. */
  readonly run: (context: AuditContext) => Promise<void>;
}

type AuditOptions = Pick<Audit, 'source'> & Partial<Pick<Audit, 'level' | 'needs' | 'since'>>;

/** The version of audits without `since`. */
const FIRST_VERSION = '0.1.0';

/** Creates the audits of one area: `audit('AUTH-101', 'title', { source }, run)`. Default: MUST, without needs, since 0.1.0. */
export function auditsOf(area: AuditArea) {
  return (
    id: string,
    title: string,
    { source, level = 'MUST', needs = [], since = FIRST_VERSION }: AuditOptions,
    run: Audit['run'],
  ): Audit => ({
    id,
    area,
    level,
    title,
    source,
    needs,
    since,
    run,
  });
}
