import { apiVersion, type AuditContext } from '../../audit/audit-context.ts';
import { createWire, type Wire } from '../../target/wire.ts';

/**
 * Sends requests whose refusals are what an audit asserts: the run neither waits for them, nor takes them for a setting
 * that forbids the audit.
 */
export function createUnwatchedWire(
  { target: { authUrl, anonKey } }: AuditContext,
  headers: Readonly<Record<string, string>> = {},
): Wire {
  const wire = createWire(authUrl, anonKey, fetch);
  return {
    ...wire,
    send: (method, path, request = {}) =>
      wire.send(method, path, { ...request, headers: { ...apiVersion, ...headers, ...request.headers } }),
  };
}
