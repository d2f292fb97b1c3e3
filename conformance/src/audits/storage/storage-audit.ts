import { assert } from '../../target/assertion.ts';
import type { Audit } from '../../audit/audit.ts';
import { auditsOf } from '../../audit/audit.ts';
import type { AuditContext } from '../../audit/audit-context.ts';
import { at, type WireReply } from '../../target/wire.ts';
import { withBucket, type ServerBucket } from '../../audit/bucket.ts';

const audit = auditsOf('storage');

export type StorageSection =
  | 'access'
  | 'bodies'
  | 'buckets'
  | 'links'
  | 'lists'
  | 'names'
  | 'reads'
  | 'removal-and-transfers'
  | 'resumable-uploads'
  | 'uploads';

type Task = (bucket: ServerBucket, context: AuditContext) => Promise<void>;

/** Creates audits that each have a new bucket, made with the service key. */
export const bucketAudits =
  (section: StorageSection) =>
  (id: string, title: string, task: Task, { isPublic = false } = {}): Audit =>
    audit(id, title, { source: `protocol/storage.md#${section}`, needs: ['service-key'] }, (context) =>
      withBucket(context, isPublic, (bucket) => task(bucket, context)),
    );

/** Asserts a refusal: the body contains its status; the HTTP status is 400 unless `httpStatus` is given. */
export function assertRefusal(reply: WireReply, status: number, code: string, httpStatus = 400): void {
  assert.deepEqual(
    [reply.status, at(reply.json, 'statusCode'), at(reply.json, 'code')],
    [httpStatus, String(status), code],
    'the HTTP status, statusCode and code',
  );
}

/** Asserts the refusal of a body, a query or a header that violates the service's schemas. */
export function assertInvalid(reply: WireReply, message: string): void {
  assertRefusal(reply, 400, 'InvalidRequest');
  assert.equal(at(reply.json, 'message'), message, 'the message');
}

export const namesOf = (json: unknown): readonly unknown[] =>
  Array.isArray(json) ? json.map((entry) => at(entry, 'name')) : [];
