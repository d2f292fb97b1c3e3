import type { AuditContext } from './audit-context.ts';

/** RFC 2119: MUST decides whether a server conforms; SHOULD is reported and does not. */
export type AuditLevel = 'MUST' | 'SHOULD';

/** What a server is judged in. */
export type ServerArea = 'auth' | 'rest' | 'realtime' | 'storage';

/** What our clients are judged in. */
export type ClientArea =
  | 'auth-client'
  | 'rest-client'
  | 'realtime-client'
  | 'storage-client'
  | 'functions-client';

export type AuditArea = ServerArea | ClientArea;

/** The service that an area is about. */
export const serviceOf = (area: AuditArea): string => area.replace('-client', '');

/** Which of the two sets an area belongs to. */
export const setOf = (area: AuditArea): 'server' | 'client' =>
  area.endsWith('-client') ? 'client' : 'server';

/** What an audit cannot do without; where the target lacks it the audit is reported as not run. */
export type AuditNeed = 'mailbox' | 'service-key' | 'sms';

/** One statement about a server or a client, and how to find out whether it is true. Plain data: any runner can take it. */
export interface Audit {
  /** Frozen: an id never changes its meaning and is never used again. */
  readonly id: string;
  readonly area: AuditArea;
  readonly level: AuditLevel;
  /** What is true of a conforming server or client, as a sentence. */
  readonly title: string;
  /** Where that is written: an RFC section, or a section of the protocol documents. */
  readonly source: string;
  readonly needs: readonly AuditNeed[];
  /** Resolves if the statement holds; rejects with what was found instead. */
  readonly run: (context: AuditContext) => Promise<void>;
}

type AuditOptions = Pick<Audit, 'source'> & Partial<Pick<Audit, 'level' | 'needs'>>;

/** Makes the audits of one area: `audit('AUTH-101', 'title', { source }, run)`. Default: MUST, needs nothing. */
export function auditsOf(area: AuditArea) {
  return (
    id: string,
    title: string,
    { source, level = 'MUST', needs = [] }: AuditOptions,
    run: Audit['run'],
  ): Audit => ({
    id,
    area,
    level,
    title,
    source,
    needs,
    run,
  });
}

/** Thrown by an audit that finds out only while it runs that the target lacks what it needs. */
export class NotRunError extends Error {
  override readonly name = 'NotRunError';
}
