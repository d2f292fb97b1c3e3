import { randomBytes } from 'node:crypto';

import type { AuditContext } from '../audit-context.ts';
import { assertStatus, createWire, type Wire, type WireReply } from '../wire.ts';
import { NotRunError } from '../target.ts';

export interface ServerBucket {
  readonly name: string;
  /** With the service key. */
  readonly service: Wire;
  upload(path: string, body: string, headers?: Readonly<Record<string, string>>): Promise<WireReply>;
}

/** A new bucket, removed after `task`. */
export async function withBucket(
  { target }: AuditContext,
  isPublic: boolean,
  task: (bucket: ServerBucket) => Promise<void>,
): Promise<void> {
  if (target.storageUrl === null) throw new NotRunError('the target has no storage service');
  const key = target.serviceKey ?? '';
  const wire = createWire(target.storageUrl, key, target.fetch);
  const service: Wire = {
    ...wire,
    send: (method, path, request) =>
      wire.send(method, path, key.startsWith('sb_') ? request : { token: key, ...request }),
  };
  const name = `audit-${randomBytes(6).toString('hex')}`;
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
