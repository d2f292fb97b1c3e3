import type { AuditContext } from './audit-context.ts';
import { NotRunError, type ConformanceTarget } from '../target/target.ts';
import { assertStatus, createWire, type Wire, type WireResponse } from '../target/wire.ts';

export interface ServerBucket {
  readonly name: string;
  /** Sends requests with the service key. */
  readonly service: Wire;
  upload(path: string, body: string, headers?: Readonly<Record<string, string>>): Promise<WireResponse>;
}

/** Storage with the service key. @throws NotRunError if the target has none. */
export function openStorage({ storageUrl, serviceKey, fetch }: ConformanceTarget): Wire {
  if (storageUrl === null) throw new NotRunError('the target has no storage service');
  const key = serviceKey ?? '';
  const wire = createWire(storageUrl, key, fetch);
  return {
    ...wire,
    send: (method, path, request) =>
      wire.send(method, path, key.startsWith('sb_') ? request : { token: key, ...request }),
  };
}

/** A new bucket, removed after `task`. */
export async function withBucket(
  { target, run }: AuditContext,
  isPublic: boolean,
  task: (bucket: ServerBucket) => Promise<void>,
): Promise<void> {
  const service = openStorage(target);
  const name = run.newName();
  assertStatus(await service.send('POST', '/bucket', { body: { id: name, name, public: isPublic } }), 200);
  try {
    await task({
      name,
      service,
      upload: (path, body, headers = {}) =>
        service.send('POST', `/object/${name}/${path}`, {
          body,
          headers: { 'Content-Type': 'text/plain', ...headers },
        }),
    });
  } finally {
    await service.send('POST', `/bucket/${name}/empty`);
    await service.send('DELETE', `/bucket/${name}`);
  }
}
