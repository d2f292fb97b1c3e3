import { assert } from '../../target/assertion.ts';
import type { Audit } from '../../audit/audit.ts';
import { assertStatus } from '../../target/wire.ts';
import type { ServerBucket } from '../../audit/bucket.ts';
import { bucketAudits } from './storage-audit.ts';

const resumable = bucketAudits('resumable-uploads');

const VERSION = { 'Tus-Resumable': '1.0.0' };
const encode = (pairs: Readonly<Record<string, string>>): string =>
  Object.entries(pairs)
    .map(([name, value]) => `${name} ${Buffer.from(value).toString('base64')}`)
    .join();

const create = (
  { name, service }: ServerBucket,
  path: string,
  length: number,
  headers: Readonly<Record<string, string>> = {},
) =>
  service.send('POST', '/upload/resumable', {
    headers: {
      ...VERSION,
      'Upload-Length': String(length),
      'Upload-Metadata': encode({ bucketName: name, objectName: path, contentType: 'text/plain' }),
      ...headers,
    },
  });

/** The path of an upload, relative to the target: a service behind a gateway may return another host. */
function locationOf(location: string | null): string {
  const [, path = ''] = /(\/upload\/resumable\/.*)$/.exec(location ?? '') ?? [];
  assert.ok(path !== '', 'the upload has a location');
  return path;
}

async function begin(bucket: ServerBucket, path: string, length: number): Promise<string> {
  const created = await create(bucket, path, length);
  assertStatus(created, 201);
  return locationOf(created.headers.get('location'));
}

const append = ({ service }: ServerBucket, upload: string, offset: number, body: string) =>
  service.send('PATCH', upload, {
    body,
    headers: {
      ...VERSION,
      'Upload-Offset': String(offset),
      'Content-Type': 'application/offset+octet-stream',
    },
  });
const offsetOf = async ({ service }: ServerBucket, upload: string) =>
  (await service.send('HEAD', upload, { headers: VERSION })).headers.get('upload-offset');

export const storageResumableAudits: readonly Audit[] = [
  resumable('STORE-701', 'an upload in two parts becomes the object', async (bucket) => {
    const upload = await begin(bucket, 'a b.txt', 6);
    const first = await append(bucket, upload, 0, 'abc');
    assert.deepEqual([first.status, first.headers.get('upload-offset')], [204, '3'], 'the first part');
    const last = await append(bucket, upload, 3, 'def');
    assert.deepEqual([last.status, last.headers.get('upload-offset')], [204, '6'], 'the last part');
    const got = await bucket.service.send('GET', `/object/${bucket.name}/a%20b.txt`);
    assert.equal(got.text, 'abcdef', 'the text');
  }),
  resumable('STORE-702', 'HEAD returns the offset', async (bucket) => {
    const upload = await begin(bucket, 'a.txt', 6);
    assert.equal(await offsetOf(bucket, upload), '0', 'the offset before');
    await append(bucket, upload, 0, 'abc');
    const head = await bucket.service.send('HEAD', upload, { headers: VERSION });
    assert.deepEqual(
      [
        head.headers.get('upload-offset'),
        head.headers.get('upload-length'),
        head.headers.get('cache-control'),
      ],
      ['3', '6', 'no-store'],
      'the headers',
    );
  }),
  resumable('STORE-703', 'a part at another offset is 409 and changes nothing', async (bucket) => {
    const upload = await begin(bucket, 'a.txt', 6);
    assertStatus(await append(bucket, upload, 3, 'abc'), 409);
    assert.equal(await offsetOf(bucket, upload), '0', 'the offset');
  }),
  resumable('STORE-704', 'bytes beyond the length are 413', async (bucket) => {
    const upload = await begin(bucket, 'a.txt', 3);
    assertStatus(await append(bucket, upload, 0, 'abcd'), 413);
  }),
  resumable('STORE-705', 'a request without the version is 412', async (bucket) => {
    const upload = await begin(bucket, 'a.txt', 3);
    assertStatus(await bucket.service.send('HEAD', upload), 412);
  }),
  resumable('STORE-706', 'an invalid name or a missing bucket is refused at the creation', async (bucket) => {
    assertStatus(await create(bucket, 'a#b', 3), 400);
    assertStatus(await create({ ...bucket, name: `${bucket.name}-none` }, 'a.txt', 3), 404);
  }),
  resumable('STORE-707', 'a length over the limit of the bucket is 413', async (bucket) => {
    await bucket.service.send('PUT', `/bucket/${bucket.name}`, { body: { file_size_limit: 3 } });
    assertStatus(await create(bucket, 'a.txt', 4), 413);
  }),
  resumable('STORE-708', 'an existing object is replaced only with x-upsert', async (bucket) => {
    await bucket.upload('a.txt', 'old');
    assertStatus(await create(bucket, 'a.txt', 3), 409);
    assertStatus(await create(bucket, 'a.txt', 3, { 'x-upsert': 'true' }), 201);
  }),
  resumable('STORE-709', 'an upload that its client terminated is 404', async (bucket) => {
    const upload = await begin(bucket, 'a.txt', 3);
    assertStatus(await bucket.service.send('DELETE', upload, { headers: VERSION }), 204);
    assertStatus(await append(bucket, upload, 0, 'abc'), 404);
  }),
  resumable('STORE-710', 'errors are plain text, with the real status', async (bucket) => {
    const refused = await create(bucket, 'a.txt', 3, { 'Upload-Length': 'x' });
    assert.deepEqual([refused.status, refused.text.trim()], [400, 'Invalid upload-length'], 'the refusal');
    assert.equal(refused.headers.get('tus-resumable'), '1.0.0', 'the header tus-resumable');
  }),
];
