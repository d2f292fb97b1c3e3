import { createAuthWire, type AuditContext } from '../../audit/audit-context.ts';
import type { Wire } from '../../target/wire.ts';

/**
 * Sends requests whose refusals are what an audit asserts: the run neither waits for them, nor takes them for a setting
 * that forbids the audit.
 */
export const createUnwatchedWire = (
  { target }: AuditContext,
  headers: Readonly<Record<string, string>> = {},
): Wire => createAuthWire(target, fetch, headers);
