import { assert } from '../../target/assertion.ts';
import type { Audit } from '../../audit/audit.ts';
import type { AuditContext } from '../../audit/audit-context.ts';
import { NotRunError } from '../../target/target.ts';
import { assertStatus, assertStatusIn, at, createWire } from '../../target/wire.ts';
import type { ServerBucket } from '../../audit/bucket.ts';
import { assertRefusal, bucketAudits } from './storage-audit.ts';

const access = bucketAudits('access');

/** A signed-in user without a policy. */
async function asUser({ service }: ServerBucket, context: AuditContext) {
  const { accessToken: token } = await context.newUser();
  const wire = createWire(service.baseUrl, context.target.anonKey, context.target.fetch);
  return (method: string, path: string, body?: unknown, headers: Readonly<Record<string, string>> = {}) =>
    wire.send(method, path, { token, ...(body !== undefined && { body }), headers });
}

/** Sends requests without a key, as a browser opens a URL. */
const asBrowser = ({ service }: ServerBucket, context: AuditContext) =>
  createWire(service.baseUrl, '', context.target.fetch);

/** The access of users without a policy, and to public buckets. */
export const storageAccessAudits: readonly Audit[] = [
  access('STORE-801', 'for a user without a policy an object seems not to exist', async (bucket, context) => {
    await bucket.upload('a.txt', 'a');
    const send = await asUser(bucket, context);
    for (const path of [`/object/${bucket.name}/a.txt`, `/object/info/${bucket.name}/a.txt`])
      assertRefusal(await send('GET', path), 404, 'NoSuchKey');
    assertRefusal(
      await send('POST', `/object/sign/${bucket.name}/a.txt`, { expiresIn: 60 }),
      404,
      'NoSuchKey',
    );
  }),
  access(
    'STORE-802',
    'a user without a policy lists and removes nothing, without an error',
    async (bucket, context) => {
      await bucket.upload('a.txt', 'a');
      const send = await asUser(bucket, context);
      const listed = await send('POST', `/object/list/${bucket.name}`, { prefix: '' });
      assert.deepEqual(listed.json, [], 'the list');
      const removed = await send('DELETE', `/object/${bucket.name}`, { prefixes: ['a.txt'] });
      assert.deepEqual(removed.json, [], 'the removed objects');
      assertStatus(await bucket.service.send('GET', `/object/${bucket.name}/a.txt`), 200);
    },
  ),
  access(
    'STORE-803',
    'the removal of one object without a policy is AccessDenied',
    async (bucket, context) => {
      await bucket.upload('a.txt', 'a');
      const send = await asUser(bucket, context);
      assertRefusal(await send('DELETE', `/object/${bucket.name}/a.txt`), 403, 'AccessDenied');
    },
  ),
  access(
    'STORE-804',
    'an upload without a policy is AccessDenied, also by a link',
    async (bucket, context) => {
      const send = await asUser(bucket, context);
      const headers = { 'Content-Type': 'text/plain' };
      assertRefusal(await send('POST', `/object/${bucket.name}/a.txt`, 'a', headers), 403, 'AccessDenied');
      assertRefusal(await send('POST', `/object/upload/sign/${bucket.name}/a.txt`), 403, 'AccessDenied');
    },
  ),
  access('STORE-805', 'a user without a policy creates no bucket', async (bucket, context) => {
    const send = await asUser(bucket, context);
    assertRefusal(await send('POST', '/bucket', { name: `${bucket.name}-own` }), 403, 'AccessDenied');
  }),
  access(
    'STORE-806',
    'a public bucket can be read without a key, but not written',
    async (bucket, context) => {
      await bucket.upload('a.txt', 'a');
      const browser = asBrowser(bucket, context);
      assert.equal((await browser.send('GET', `/object/public/${bucket.name}/a.txt`)).text, 'a', 'the text');
      assertStatus(await browser.send('HEAD', `/object/public/${bucket.name}/a.txt`), 200);
      const send = await asUser(bucket, context);
      const headers = { 'Content-Type': 'text/plain' };
      assertRefusal(await send('POST', `/object/${bucket.name}/b.txt`, 'b', headers), 403, 'AccessDenied');
    },
    { isPublic: true },
  ),
  access('STORE-807', 'the public route of a private bucket is NoSuchBucket', async (bucket, context) => {
    await bucket.upload('a.txt', 'a');
    const browser = asBrowser(bucket, context);
    assertRefusal(await browser.send('GET', `/object/public/${bucket.name}/a.txt`), 404, 'NoSuchBucket');
    assertRefusal(await browser.send('GET', `/object/info/public/${bucket.name}/a.txt`), 404, 'NoSuchBucket');
  }),
  access('STORE-808', 'an invalid token is AccessDenied', async ({ service }, context) => {
    const wire = createWire(service.baseUrl, context.target.anonKey, context.target.fetch);
    assertRefusal(await wire.send('GET', '/bucket', { token: 'a.b.c' }), 403, 'AccessDenied');
  }),
  access(
    'STORE-809',
    'a request without a key and a token lists nothing',
    async (bucket, context) => {
      const listed = await asBrowser(bucket, context).send('POST', `/object/list/${bucket.name}`, {
        body: { prefix: '' },
      });
      assertStatusIn(listed, [400, 401, 403]);
    },
    { since: '1.0.0' },
  ),
  access(
    'STORE-810',
    'only the service role purges the cache',
    async (bucket, context) => {
      const send = await asUser(bucket, context);
      const purged = await send('DELETE', `/cdn/${bucket.name}/a.txt`);
      if (at(purged.json, 'code') === 'FeatureNotEnabled') throw new NotRunError('purging is not enabled');
      assertRefusal(purged, 403, 'AccessDenied', 403);
    },
    { since: '1.0.0' },
  ),
  access(
    'STORE-811',
    'an object of a public bucket is described without a key',
    async (bucket, context) => {
      await bucket.upload('a.txt', 'abc');
      const browser = asBrowser(bucket, context);
      const { json } = await browser.send('GET', `/object/info/public/${bucket.name}/a.txt`);
      assert.deepEqual([at(json, 'name'), at(json, 'size')], ['a.txt', 3], 'the name and the size');
      assertRefusal(await browser.send('GET', `/object/public/${bucket.name}/none`), 404, 'NoSuchKey');
    },
    { isPublic: true, since: '1.0.0' },
  ),
  access(
    'STORE-812',
    'a user without a policy sees and changes no bucket',
    async (bucket, context) => {
      const send = await asUser(bucket, context);
      const path = `/bucket/${bucket.name}`;
      assertRefusal(await send('GET', path), 404, 'NoSuchBucket');
      assertRefusal(await send('PUT', path, { public: true }), 404, 'NoSuchBucket');
      const listed = await send('GET', `/bucket?search=${bucket.name}`);
      assert.deepEqual(listed.json, [], 'the list');
      const { json } = await bucket.service.send('GET', path);
      assert.equal(at(json, 'public'), false, 'public of the bucket');
    },
    { since: '1.0.0' },
  ),
  access(
    'STORE-813',
    'a user without a policy neither copies nor moves an object',
    async (bucket, context) => {
      await bucket.upload('a.txt', 'a');
      const send = await asUser(bucket, context);
      for (const kind of ['copy', 'move']) {
        const body = { bucketId: bucket.name, sourceKey: 'a.txt', destinationKey: 'b.txt' };
        assertRefusal(await send('POST', `/object/${kind}`, body), 404, 'NoSuchKey');
      }
      assertStatus(await bucket.service.send('GET', `/object/${bucket.name}/a.txt`), 200);
    },
    { since: '1.0.0' },
  ),
  access(
    'STORE-814',
    'an expired token is AccessDenied',
    async ({ service }, context) => {
      const nowSeconds = Math.floor(Date.now() / 1000);
      const { accessToken } = await context.newUser();
      const wire = createWire(service.baseUrl, context.target.anonKey, context.target.fetch);
      const list = (exp: number) =>
        wire.send('GET', '/bucket', {
          token: context.signAgain(accessToken, { iat: nowSeconds - 7200, exp }),
        });
      if ((await list(nowSeconds + 3600)).status !== 200)
        throw new NotRunError('the target accepts no tokens of the legacy secret');
      assertRefusal(await list(nowSeconds - 3600), 403, 'AccessDenied');
    },
    { since: '1.0.0' },
  ),
  access(
    'STORE-815',
    'for a user without a policy a batch of links has errors, and a page is empty',
    async (bucket, context) => {
      await bucket.upload('a.txt', 'a');
      const send = await asUser(bucket, context);
      const signed = await send('POST', `/object/sign/${bucket.name}`, { expiresIn: 60, paths: ['a.txt'] });
      assert.deepEqual(
        [at(signed.json, 0, 'signedURL'), typeof at(signed.json, 0, 'error')],
        [null, 'string'],
        'the URL and the error of the entry',
      );
      for (const with_delimiter of [false, true]) {
        const page = await send('POST', `/object/list-v2/${bucket.name}`, { with_delimiter });
        assert.deepEqual(at(page.json, 'objects'), [], 'the objects of the page');
      }
    },
    { since: '1.0.0' },
  ),
  access(
    'STORE-816',
    'a user without a policy begins no resumable upload',
    async ({ name, service }, context) => {
      const { accessToken: token } = await context.newUser();
      const wire = createWire(service.baseUrl, context.target.anonKey, context.target.fetch);
      const encode = (text: string) => Buffer.from(text).toString('base64');
      const headers = {
        'Tus-Resumable': '1.0.0',
        'Upload-Length': '3',
        'Upload-Metadata': `bucketName ${encode(name)},objectName ${encode('a.txt')}`,
      };
      assertStatus(await wire.send('POST', '/upload/resumable', { token, headers }), 403);
    },
    { since: '1.0.0' },
  ),
  access(
    'STORE-817',
    'a user without a policy deletes no bucket, and replaces and uploads no object by PUT',
    async (bucket, context) => {
      const send = await asUser(bucket, context);
      assertRefusal(await send('DELETE', `/bucket/${bucket.name}`), 404, 'NoSuchBucket');
      await bucket.upload('a.txt', 'a');
      const headers = { 'Content-Type': 'text/plain' };
      for (const path of ['a.txt', 'b.txt'])
        assertRefusal(await send('PUT', `/object/${bucket.name}/${path}`, 'b', headers), 403, 'AccessDenied');
      const got = await bucket.service.send('GET', `/object/${bucket.name}/a.txt`);
      assert.equal(got.text, 'a', 'the text');
    },
    { since: '1.0.0' },
  ),
  access(
    'STORE-818',
    'no route reads a private object without a key',
    async (bucket, context) => {
      await bucket.upload('a.txt', 'secret');
      const path = `${bucket.name}/a.txt`;
      for (const route of ['', 'authenticated/', 'info/', 'info/authenticated/']) {
        const got = await asBrowser(bucket, context).send('GET', `/object/${route}${path}`);
        assertStatusIn(got, [400, 401, 403, 404]);
        assert.equal(at(got.json, 'id'), undefined, `id of the response of /object/${route}`);
        assert.ok(!got.text.includes('secret'), `/object/${route} does not return the object`);
      }
    },
    { since: '1.0.0' },
  ),
  access(
    'STORE-819',
    'the route of signed-in users needs a key, even in a public bucket',
    async (bucket, context) => {
      await bucket.upload('a.txt', 'public');
      const send = (path: string) => asBrowser(bucket, context).send('GET', path);
      const refused = await send(`/object/authenticated/${bucket.name}/a.txt`);
      assertStatusIn(refused, [400, 401, 403]);
      assert.ok(refused.text !== 'public', 'the route does not return the object');
      assert.equal((await send(`/object/public/${bucket.name}/a.txt`)).text, 'public', 'the text');
    },
    { isPublic: true, since: '1.0.0' },
  ),
];
