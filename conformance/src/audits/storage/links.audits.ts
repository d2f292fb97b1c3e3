import { assert } from '../../target/assertion.ts';
import type { Audit } from '../../audit/audit.ts';
import type { AuditContext } from '../../audit/audit-context.ts';
import { assertStatus, at, createWire, jwtPartOf, textAt, type WireResponse } from '../../target/wire.ts';
import { withBucket, type ServerBucket } from '../../audit/bucket.ts';
import { assertInvalid, assertRefusal, bucketAudits } from './storage-audit.ts';

const links = bucketAudits('links');

const sign = ({ name, service }: ServerBucket, path: string, body: unknown = { expiresIn: 60 }) =>
  service.send('POST', `/object/sign/${name}/${path}`, { body });
const open = (
  context: AuditContext,
  { service }: ServerBucket,
  path: string,
  headers = {},
): Promise<WireResponse> =>
  createWire(service.baseUrl, '', context.target.fetch).send('GET', path, { headers });
/** Uploads by a link, without a key. */
const store = (
  context: AuditContext,
  { service }: ServerBucket,
  path: string,
  body: string,
  headers = {},
): Promise<WireResponse> =>
  createWire(service.baseUrl, '', context.target.fetch).send('PUT', path, {
    body,
    headers: { 'Content-Type': 'text/plain', ...headers },
  });
const signUpload = ({ name, service }: ServerBucket, path: string) =>
  service.send('POST', `/object/upload/sign/${name}/${path}`);
const tokenIn = (signed: string): string => /token=([^&]+)/.exec(signed)?.[1] ?? '';

/** URL separators, sent unescaped as the vendor's client does. */
const RAW_NAMES = ['icon@2x.png', '10:48:15Z.txt', 'R&D.pdf', 'a$b', 'a=b', 'a;b', 'a+b', 'a,b'];

export const storageLinkAudits: readonly Audit[] = [
  links(
    'STORE-401',
    'a name with separators of URLs is signed as it is sent, without escapes',
    async (bucket, context) => {
      for (const name of RAW_NAMES) {
        await bucket.upload(encodeURIComponent(name), name);
        const signed = await sign(bucket, name);
        const opened = await open(context, bucket, textAt(signed, 'signedURL'));
        assert.equal(opened.text, name, `the text of ${name}`);
      }
    },
  ),
  links(
    'STORE-402',
    'the same name that was sent with escapes is signed for another path',
    async (bucket, context) => {
      await bucket.upload('a%40b', 'a');
      const signed = await sign(bucket, 'a%40b');
      assertStatus(signed, 200);
      const token = tokenIn(textAt(signed, 'signedURL'));
      const opened = await open(context, bucket, `/object/sign/${bucket.name}/a@b?token=${token}`);
      assertRefusal(opened, 400, 'InvalidSignature');
    },
  ),
  links('STORE-403', 'the URL of a link may contain escapes', async (bucket, context) => {
    await bucket.upload('a%40b', 'a');
    const token = tokenIn(textAt(await sign(bucket, 'a@b'), 'signedURL'));
    const opened = await open(context, bucket, `/object/sign/${bucket.name}/a%40b?token=${token}`);
    assert.equal(opened.text, 'a', 'the text');
  }),
  links(
    'STORE-404',
    'a batch signs every name, and has an error for each that does not exist',
    async (bucket, context) => {
      const names = [...RAW_NAMES, 'a?b'];
      for (const name of names) await bucket.upload(encodeURIComponent(name), name);
      const body = { expiresIn: 60, paths: [...names, 'none'] };
      const signed = await bucket.service.send('POST', `/object/sign/${bucket.name}`, { body });
      assertStatus(signed, 200);
      for (const [index, name] of names.entries()) {
        assert.deepEqual(
          [at(signed.json, index, 'path'), at(signed.json, index, 'error')],
          [name, null],
          'the path and the error of the entry',
        );
        const token = tokenIn(String(at(signed.json, index, 'signedURL')));
        const path = `/object/sign/${bucket.name}/${encodeURIComponent(name)}?token=${token}`;
        assert.equal((await open(context, bucket, path)).text, name, `the text of ${name}`);
      }
      assert.deepEqual(
        [at(signed.json, names.length, 'signedURL'), typeof at(signed.json, names.length, 'error')],
        [null, 'string'],
        'the URL and the error of the missing object',
      );
    },
  ),
  links('STORE-405', 'a batch has 1 to 1,000 paths', async ({ name, service }) => {
    const paths = Array.from({ length: 1001 }, (_, index) => `n${index}`);
    const post = (body: unknown) => service.send('POST', `/object/sign/${name}`, { body });
    assertInvalid(await post({ expiresIn: 60, paths }), 'body/paths must NOT have more than 1000 items');
    assertInvalid(await post({ expiresIn: 60, paths: [] }), 'body/paths must NOT have fewer than 1 items');
  }),
  links('STORE-406', 'a link must last at least a second', async (bucket) => {
    await bucket.upload('a.txt', 'a');
    assertInvalid(await sign(bucket, 'a.txt', { expiresIn: 0 }), 'body/expiresIn must be >= 1');
    assertInvalid(await sign(bucket, 'a.txt', {}), "body must have required property 'expiresIn'");
    assertInvalid(await sign(bucket, '', { expiresIn: 0, paths: ['a.txt'] }), 'body/expiresIn must be >= 1');
  }),
  links('STORE-407', 'an object that does not exist is not signed', async (bucket) => {
    assertRefusal(await sign(bucket, 'none.txt'), 404, 'NoSuchKey');
  }),
  links(
    'STORE-408',
    'a link without a token, or with an invalid one, is refused',
    async (bucket, context) => {
      await bucket.upload('a.txt', 'a');
      const path = `/object/sign/${bucket.name}/a.txt`;
      assertInvalid(await open(context, bucket, path), "querystring must have required property 'token'");
      assertRefusal(await open(context, bucket, `${path}?token=x`), 400, 'InvalidJWT');
    },
  ),
  links('STORE-409', 'the expiry of the link is in Expires', async (bucket, context) => {
    await bucket.upload('a.txt', 'a', { 'Cache-Control': 'max-age=60' });
    const opened = await open(context, bucket, textAt(await sign(bucket, 'a.txt'), 'signedURL'));
    assert.equal(opened.headers.get('cache-control'), null, 'the header cache-control');
    const endMs = Date.parse(opened.headers.get('expires') ?? '');
    assert.ok(endMs > Date.now() && endMs < Date.now() + 120_000, 'the link ends within two minutes');
  }),
  links('STORE-410', 'an upload link stores one object, and replaces none', async (bucket, context) => {
    const { name, service } = bucket;
    const signed = await service.send('POST', `/object/upload/sign/${name}/u.txt`);
    const put = () =>
      createWire(service.baseUrl, '', context.target.fetch).send('PUT', textAt(signed, 'url'), {
        body: 'by link',
        headers: { 'Content-Type': 'text/plain' },
      });
    assertStatus(await put(), 200);
    assert.equal((await service.send('GET', `/object/${name}/u.txt`)).text, 'by link', 'the text');
    assertRefusal(await put(), 409, 'KeyAlreadyExists');
  }),
  links(
    'STORE-411',
    'an upload link that was signed with x-upsert replaces an object',
    async (bucket, context) => {
      const { name, service, upload } = bucket;
      await upload('u.txt', 'old');
      const signed = await service.send('POST', `/object/upload/sign/${name}/u.txt`, {
        headers: { 'x-upsert': 'true' },
      });
      const put = await createWire(service.baseUrl, '', context.target.fetch).send(
        'PUT',
        textAt(signed, 'url'),
        {
          body: 'new',
          headers: { 'Content-Type': 'text/plain' },
        },
      );
      assertStatus(put, 200);
      assert.equal((await service.send('GET', `/object/${name}/u.txt`)).text, 'new', 'the text');
    },
  ),
  links('STORE-412', 'a read link permits no upload, and an upload link no read', async (bucket, context) => {
    const { name, service, upload } = bucket;
    await upload('a.txt', 'a');
    const wire = createWire(service.baseUrl, '', context.target.fetch);
    const reading = tokenIn(textAt(await sign(bucket, 'a.txt'), 'signedURL'));
    const writing = textAt(
      await service.send('POST', `/object/upload/sign/${name}/a.txt`, { headers: { 'x-upsert': 'true' } }),
      'token',
    );
    const headers = { 'Content-Type': 'text/plain' };
    assertRefusal(
      await wire.send('PUT', `/object/upload/sign/${name}/a.txt?token=${reading}`, { body: 'x', headers }),
      400,
      'InvalidSignature',
    );
    assertRefusal(
      await wire.send('GET', `/object/sign/${name}/a.txt?token=${writing}`),
      400,
      'InvalidSignature',
    );
  }),
  links(
    'STORE-413',
    'a link and each link of a batch last as long as the request says',
    async (bucket) => {
      await bucket.upload('a.txt', 'a');
      const one = await sign(bucket, 'a.txt', { expiresIn: 1234 });
      const many = await bucket.service.send('POST', `/object/sign/${bucket.name}`, {
        body: { expiresIn: 1234, paths: ['a.txt'] },
      });
      for (const signed of [textAt(one, 'signedURL'), textAt(many, 0, 'signedURL')]) {
        const claims = jwtPartOf(tokenIn(signed));
        assert.equal(
          Number(at(claims, 'exp')) - Number(at(claims, 'iat')),
          1234,
          'the seconds from iat to exp',
        );
      }
    },
    { since: '1.0.0' },
  ),
  links(
    'STORE-414',
    'a link serves ranges, and the file name that is added to it',
    async (bucket, context) => {
      await bucket.upload('a.txt', '0123456789');
      const signed = textAt(await sign(bucket, 'a.txt'), 'signedURL');
      const opened = await open(context, bucket, `${signed}&download=b.txt`, { Range: 'bytes=2-4' });
      assert.deepEqual(
        [opened.status, opened.text, opened.headers.get('content-disposition')],
        [206, '234', "attachment; filename=b.txt; filename*=UTF-8''b.txt"],
        'the status, the text and the header content-disposition',
      );
    },
    { since: '1.0.0' },
  ),
  links(
    'STORE-415',
    'an upload link stores no other object',
    async (bucket, context) => {
      const url = textAt(await signUpload(bucket, 'u.txt'), 'url');
      const stored = await store(context, bucket, url.replace('/u.txt?', '/v.txt?'), 'x');
      assertRefusal(stored, 400, 'InvalidSignature');
    },
    { since: '1.0.0' },
  ),
  links(
    'STORE-416',
    'an upload by a link is subject to the limits of its bucket',
    async (bucket, context) => {
      const body = { file_size_limit: 3, allowed_mime_types: ['text/plain'] };
      await bucket.service.send('PUT', `/bucket/${bucket.name}`, { body });
      const url = textAt(await signUpload(bucket, 'u.txt'), 'url');
      assertRefusal(await store(context, bucket, url, '1234'), 413, 'EntityTooLarge');
      const css = { 'Content-Type': 'text/css' };
      assertRefusal(await store(context, bucket, url, '123', css), 415, 'InvalidMimeType');
      assertStatus(await store(context, bucket, url, '123'), 200);
    },
    { since: '1.0.0' },
  ),
  links(
    'STORE-417',
    'an upload by a link stores the type, the cache control and the metadata of its request',
    async (bucket, context) => {
      const url = textAt(await signUpload(bucket, 'u.css'), 'url');
      const stored = await store(context, bucket, url, 'u', {
        'Content-Type': 'text/css',
        'Cache-Control': 'max-age=9',
        'x-metadata': Buffer.from('{"k":1}').toString('base64'),
      });
      assert.equal(at(stored.json, 'Key'), `${bucket.name}/u.css`, 'Key of the upload');
      const info = await bucket.service.send('GET', `/object/info/${bucket.name}/u.css`);
      assert.deepEqual(
        ['content_type', 'cache_control', 'metadata'].map((member) => at(info.json, member)),
        ['text/css', 'max-age=9', { k: 1 }],
        'the description',
      );
    },
    { since: '1.0.0' },
  ),
  links(
    'STORE-418',
    'a link is signed for its object, from now on',
    async (bucket) => {
      await bucket.upload('f/a.txt', 'a');
      const claims = jwtPartOf(tokenIn(textAt(await sign(bucket, 'f/a.txt'), 'signedURL')));
      assert.equal(at(claims, 'url'), `${bucket.name}/f/a.txt`, 'the claim url');
      const iatMs = Number(at(claims, 'iat')) * 1000;
      assert.ok(Math.abs(iatMs - Date.now()) < 3_600_000, 'iat is now', String(at(claims, 'iat')));
    },
    { since: '1.0.0' },
  ),
  links(
    'STORE-419',
    'the token of an upload link is that of its URL, and ends later than now',
    async (bucket) => {
      const signed = await signUpload(bucket, 'f/u.txt');
      const token = textAt(signed, 'token');
      const url = `/object/upload/sign/${bucket.name}/f/u.txt?token=${token}`;
      assert.equal(textAt(signed, 'url'), url, 'the URL of the link');
      const claims = jwtPartOf(token);
      assert.deepEqual(
        [at(claims, 'url'), at(claims, 'upsert')],
        [`${bucket.name}/f/u.txt`, false],
        'the claims url and upsert',
      );
      assert.ok(Number(at(claims, 'exp')) > Number(at(claims, 'iat')), 'exp is later than iat');
    },
    { since: '1.0.0' },
  ),
  links(
    'STORE-420',
    'an upload link for an object that exists is refused, unless it replaces',
    async (bucket) => {
      await bucket.upload('a.txt', 'a');
      assertRefusal(await signUpload(bucket, 'a.txt'), 409, 'KeyAlreadyExists');
      const path = `/object/upload/sign/${bucket.name}/a.txt`;
      assertStatus(await bucket.service.send('POST', path, { headers: { 'x-upsert': 'true' } }), 200);
    },
    { since: '1.0.0' },
  ),
  links(
    'STORE-421',
    'a link opens the bytes that its object has, and nothing once it is removed',
    async (bucket, context) => {
      await bucket.upload('a.txt', 'old');
      await bucket.upload('b.txt', 'b');
      const [kept, removed] = [await sign(bucket, 'a.txt'), await sign(bucket, 'b.txt')];
      await bucket.upload('a.txt', 'new', { 'x-upsert': 'true' });
      await bucket.service.send('DELETE', `/object/${bucket.name}/b.txt`);
      assert.equal((await open(context, bucket, textAt(kept, 'signedURL'))).text, 'new', 'the text');
      assertRefusal(await open(context, bucket, textAt(removed, 'signedURL')), 404, 'NoSuchKey');
    },
    { since: '1.0.0' },
  ),
  links(
    'STORE-422',
    'a link opens no object of the same name in another bucket',
    (bucket, context) =>
      withBucket(context, false, async (other) => {
        await bucket.upload('a.txt', 'a');
        await other.upload('a.txt', 'other');
        const url = textAt(await sign(bucket, 'a.txt'), 'signedURL');
        const opened = await open(context, bucket, url.replace(bucket.name, other.name));
        assertRefusal(opened, 400, 'InvalidSignature');
      }),
    { since: '1.0.0' },
  ),
  links(
    'STORE-423',
    'a link serves the type, the size and the ETag of its object, and 304 for its own ETag',
    async (bucket, context) => {
      await bucket.upload('a.css', 'abc', { 'Content-Type': 'text/css' });
      const url = textAt(await sign(bucket, 'a.css'), 'signedURL');
      const { headers } = await open(context, bucket, url);
      assert.deepEqual(
        ['content-type', 'content-length', 'etag', 'content-disposition'].map((name) => headers.get(name)),
        ['text/css', '3', '"900150983cd24fb0d6963f7d28e17f72"', null],
        'the headers content-type, content-length, etag and content-disposition',
      );
      const same = await open(context, bucket, url, { 'If-None-Match': headers.get('etag') ?? '' });
      assert.equal(same.status, 304, 'the status for the own ETag');
      const saved = await open(context, bucket, `${url}&download=`);
      assert.equal(
        saved.headers.get('content-disposition'),
        'attachment;',
        'the header content-disposition of a download without a name',
      );
    },
    { since: '1.0.0' },
  ),
  links(
    'STORE-424',
    'a path that was not signed has its error in the batch, and no other path has',
    async (bucket) => {
      await bucket.upload('b.txt', 'b');
      const signed = await bucket.service.send('POST', `/object/sign/${bucket.name}`, {
        body: { expiresIn: 60, paths: ['none', 'b.txt', 'B.txt'] },
      });
      const error = 'Either the object does not exist or you do not have access to it';
      assert.deepEqual(
        [0, 1, 2].map((index) => [at(signed.json, index, 'path'), at(signed.json, index, 'error')]),
        [
          ['none', error],
          ['b.txt', null],
          ['B.txt', error],
        ],
        'the paths and the errors of the entries',
      );
    },
    { since: '1.0.0' },
  ),
  links(
    'STORE-425',
    'a batch may have 1,000 paths',
    async ({ name, service }) => {
      const paths = Array.from({ length: 1000 }, (_, index) => `n${index}`);
      const signed = await service.send('POST', `/object/sign/${name}`, { body: { expiresIn: 60, paths } });
      assertStatus(signed, 200);
      assert.equal(at(signed.json, 999, 'path'), 'n999', 'the last path');
      const removed = await service.send('DELETE', `/object/${name}`, { body: { prefixes: paths } });
      assert.deepEqual([removed.status, removed.json], [200, []], 'the status and the removed objects');
    },
    { since: '1.0.0' },
  ),
];
