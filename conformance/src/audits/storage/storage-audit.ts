import { assert } from '../../target/assertion.ts';
import type { Audit } from '../../audit/audit.ts';
import { auditsOf } from '../../audit/audit.ts';
import type { AuditContext } from '../../audit/audit-context.ts';
import { NotRunError } from '../../target/target.ts';
import { at, type Wire, type WireResponse } from '../../target/wire.ts';
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
  (id: string, title: string, task: Task, { isPublic = false, since = '0.1.0' } = {}): Audit =>
    audit(id, title, { source: `protocol/storage.md#${section}`, needs: ['service-key'], since }, (context) =>
      withBucket(context, isPublic, (bucket) => task(bucket, context)),
    );

/** Asserts a refusal: the body contains its status; the HTTP status is 400 unless `httpStatus` is given. */
export function assertRefusal(response: WireResponse, status: number, code: string, httpStatus = 400): void {
  assert.deepEqual(
    [response.status, at(response.json, 'statusCode'), at(response.json, 'code')],
    [httpStatus, String(status), code],
    'the HTTP status, statusCode and code',
  );
}

/** Asserts the whole body of a refusal. Its member `error` is the code unless it is given. */
export function assertRefused(
  response: WireResponse,
  status: number,
  code: string,
  message: string,
  { error = code, httpStatus = 400 } = {},
): void {
  assert.deepEqual(
    [response.status, response.json],
    [httpStatus, { statusCode: String(status), code, error, message }],
    'the HTTP status and the body',
  );
}

/** Asserts the refusal of a body, a query or a header that violates the service's schemas. */
export const assertInvalid = (response: WireResponse, message: string): void =>
  assertRefused(response, 400, 'InvalidRequest', message, { error: 'Error' });

/** Asserts the refusal of a body that cannot be parsed. */
export const assertUnreadable = (response: WireResponse, message: string): void =>
  assertRefused(response, 400, 'InvalidRequest', message, { error: 'FastifyError' });

export const namesOf = (json: unknown): readonly unknown[] =>
  Array.isArray(json) ? json.map((entry) => at(entry, 'name')) : [];

/** Whether a text is a time of the last hour; the target's clock may differ. */
export const isNow = (text: unknown): boolean => Math.abs(Date.parse(String(text)) - Date.now()) < 3_600_000;

/** The service's own limit in bytes. @throws NotRunError if the service does not name it. */
export async function maxBytesOf(service: Wire): Promise<number> {
  const { headers } = await service.send('OPTIONS', '/upload/resumable', {
    headers: { 'Tus-Resumable': '1.0.0' },
  });
  const maxBytes = Number(headers.get('tus-max-size') ?? NaN);
  if (!Number.isSafeInteger(maxBytes)) throw new NotRunError('the service does not name its limit');
  return maxBytes;
}

/** The path of an object in a URL. */
export const pathOf = (path: string): string => path.split('/').map(encodeURIComponent).join('/');

/** The text of an object. */
export const textOf = async ({ name, service }: ServerBucket, path: string): Promise<string> =>
  (await service.send('GET', `/object/${name}/${pathOf(path)}`)).text;

/** What the service says of an object. */
export const infoOf = async ({ name, service }: ServerBucket, path: string): Promise<unknown> =>
  (await service.send('GET', `/object/info/${name}/${pathOf(path)}`)).json;

/** A value of the header x-metadata. */
export const base64 = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64');
