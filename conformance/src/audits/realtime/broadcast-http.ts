import type { AuditContext } from '../../audit/audit-context.ts';
import { createWire, type WireRequest, type WireResponse } from '../../target/wire.ts';
import { realtimeUrlOf } from './frame-socket.ts';

/** The URL of a path of the HTTP interface. */
export const httpUrlOf = ({ target }: AuditContext, path: string): string =>
  realtimeUrlOf(target)
    .replace(/^ws/, 'http')
    .replace(/\/websocket$/, '/api') + path;

/** Posts to the HTTP interface. By default the API key is the token, too, unless it is of the newer form. */
export function httpWith(
  context: AuditContext,
  key: string,
  token = key.startsWith('sb_') ? undefined : key,
): (path: string, request: Omit<WireRequest, 'token'>) => Promise<WireResponse> {
  const wire = createWire(httpUrlOf(context, ''), key, context.target.fetch);
  return (path, request) => wire.send('POST', path, { ...(token !== undefined && { token }), ...request });
}
