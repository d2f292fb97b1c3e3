import { assert } from '../../target/assertion.ts';
import type { Audit } from '../../audit/audit.ts';
import { assertStatus, at, createWire, textAt } from '../../target/wire.ts';
import { assertRefusal, bucketAudits, isNow } from './storage-audit.ts';

const reads = bucketAudits('reads');
const uploads = bucketAudits('uploads');
const since = '1.0.0';

const DESCRIBED = { 'Content-Type': 'text/css', 'Cache-Control': 'max-age=60', 'X-Robots-Tag': 'noindex' };
const ETAG = '"900150983cd24fb0d6963f7d28e17f72"';

const valuesOf = (headers: Headers, names: readonly string[]) => names.map((name) => headers.get(name));

/** What a response tells of an object, by each route, and what a replacement changes of it. */
export const storageReadHeaderAudits: readonly Audit[] = [
  reads(
    'STORE-344',
    'every route serves an object with its type, its size, its ETag and its rules for caches and robots',
    async ({ name, service, upload }) => {
      await upload('a.css', 'abc', DESCRIBED);
      const names = [
        'content-type',
        'content-length',
        'etag',
        'cache-control',
        'x-robots-tag',
        'accept-ranges',
      ];
      for (const route of ['', 'authenticated/', 'public/']) {
        const got = await service.send('GET', `/object/${route}${name}/a.css`);
        assert.deepEqual(
          valuesOf(got.headers, names),
          ['text/css', '3', ETAG, 'max-age=60', 'noindex', 'bytes'],
          `the headers ${names.join(', ')} of /object/${route}`,
        );
        assert.ok(isNow(got.headers.get('last-modified')), 'the header last-modified is now');
      }
    },
    { isPublic: true, since },
  ),
  reads(
    'STORE-345',
    'HEAD has the headers of GET by each route, but the default rules for robots',
    async ({ name, service, upload }) => {
      await upload('a.css', 'abc', DESCRIBED);
      const names = ['content-type', 'content-length', 'etag', 'cache-control', 'x-robots-tag'];
      for (const route of ['', 'authenticated/', 'public/']) {
        const { status, headers, text } = await service.send('HEAD', `/object/${route}${name}/a.css`);
        assert.deepEqual([status, text], [200, ''], 'the status and the text');
        assert.deepEqual(
          valuesOf(headers, names),
          ['text/css', '3', ETAG, 'max-age=60', 'none'],
          `the headers ${names.join(', ')} of /object/${route}`,
        );
        assert.ok(isNow(headers.get('last-modified')), 'the header last-modified is now');
        assertStatus(await service.send('HEAD', `/object/${route}${name}/none`), 400);
      }
    },
    { isPublic: true, since },
  ),
  reads(
    'STORE-346',
    'an object of a public bucket is served in ranges, as a download and not twice, without a key',
    async ({ name, service, upload }, { target }) => {
      await upload('a.txt', '0123456789');
      const wire = createWire(service.baseUrl, '', target.fetch);
      const path = `/object/public/${name}/a.txt`;
      const part = await wire.send('GET', path, { headers: { Range: 'bytes=2-4' } });
      assert.deepEqual(
        [part.status, part.text, ...valuesOf(part.headers, ['content-range', 'content-length'])],
        [206, '234', 'bytes 2-4/10', '3'],
        'the status, the text, content-range and content-length of the part',
      );
      const saved = await wire.send('GET', path, { query: { download: 'b.txt' } });
      assert.equal(
        saved.headers.get('content-disposition'),
        "attachment; filename=b.txt; filename*=UTF-8''b.txt",
        'the header content-disposition',
      );
      const etag = saved.headers.get('etag') ?? '';
      const same = await wire.send('GET', path, { headers: { 'If-None-Match': etag } });
      assert.equal(same.status, 304, 'the status for the ETag of the object');
    },
    { isPublic: true, since },
  ),
  reads(
    'STORE-347',
    'without download no route asks the browser to save the object',
    async ({ name, service, upload }) => {
      await upload('a.txt', 'abc');
      for (const route of ['', 'authenticated/', 'public/']) {
        const path = `/object/${route}${name}/a.txt`;
        const shown = await service.send('GET', path);
        assert.equal(shown.headers.get('content-disposition'), null, 'the header content-disposition');
        const saved = await service.send('GET', path, { query: { download: 'b.txt' } });
        assert.match(saved.headers.get('content-disposition') ?? '', /filename=b\.txt;/, 'the file name');
      }
    },
    { isPublic: true, since },
  ),
  reads(
    'STORE-348',
    'a part has the type, the ETag and the size of the part',
    async ({ name, service, upload }) => {
      await upload('a.css', 'abc', DESCRIBED);
      const part = await service.send('GET', `/object/${name}/a.css`, { headers: { Range: 'bytes=1-1' } });
      assert.deepEqual(
        valuesOf(part.headers, ['content-type', 'content-length', 'etag', 'cache-control']),
        ['text/css', '1', ETAG, 'max-age=60'],
        'the headers content-type, content-length, etag and cache-control',
      );
    },
    { since },
  ),
  reads(
    'STORE-349',
    'the description of an object has its ETag and its rule for caches in headers, too',
    async ({ name, service, upload }) => {
      await upload('a.css', 'abc', DESCRIBED);
      for (const route of ['', 'authenticated/', 'public/']) {
        const { headers, json } = await service.send('GET', `/object/info/${route}${name}/a.css`);
        assert.deepEqual(
          valuesOf(headers, ['etag', 'cache-control']),
          [ETAG, 'max-age=60'],
          'the headers etag and cache-control',
        );
        assert.deepEqual(
          ['name', 'bucket_id', 'size', 'content_type', 'cache_control', 'etag'].map((member) =>
            at(json, member),
          ),
          ['a.css', name, 3, 'text/css', 'max-age=60', ETAG],
          'the description',
        );
        assert.equal(typeof at(json, 'version'), 'string', 'the type of version');
      }
    },
    { isPublic: true, since },
  ),
  reads(
    'STORE-350',
    'a condition of another ETag or an earlier time is answered with the object, of a later one with 304',
    async ({ name, service, upload }) => {
      await upload('a.txt', 'abc');
      const path = `/object/${name}/a.txt`;
      const { headers } = await service.send('GET', path);
      const modifiedMs = Date.parse(headers.get('last-modified') ?? '');
      const read = async (conditions: Readonly<Record<string, string>>) =>
        (await service.send('GET', path, { headers: conditions })).status;
      // A backend may compare fractions of a second, which the header lacks, or whole seconds.
      const readSince = (offsetMs: number) =>
        read({ 'If-Modified-Since': new Date(modifiedMs + offsetMs).toUTCString() });
      assert.deepEqual(
        [await readSince(1000), await readSince(-1000), await read({ 'If-None-Match': '"other"' })],
        [304, 200, 200],
        'the statuses for a later second, an earlier one and another ETag',
      );
    },
    { since },
  ),
  reads(
    'STORE-354',
    'HEAD of another ETag asks caches to revalidate, and of that of the object does not',
    async ({ name, service, upload }) => {
      await upload('a.txt', 'abc', { 'Cache-Control': 'max-age=60' });
      const head = async (etag: string) =>
        (await service.send('HEAD', `/object/${name}/a.txt`, { headers: { 'If-None-Match': etag } })).headers;
      const other = await head('"other"');
      assert.match(
        other.get('cache-control') ?? '',
        /^max-age=60,.*must-revalidate$/,
        'the header cache-control for another ETag',
      );
      const own = await head(other.get('etag') ?? '');
      assert.ok(
        !(own.get('cache-control') ?? '').includes('must-revalidate'),
        'the header cache-control for the ETag of the object has no must-revalidate',
      );
    },
    { since },
  ),
  uploads(
    'STORE-351',
    'a replacement changes the version, the ETag and the last change, and not the creation',
    async ({ name, service, upload }) => {
      await upload('a.txt', 'abc');
      const info = async () => (await service.send('GET', `/object/info/${name}/a.txt`)).json;
      const before = await info();
      assertStatus(await upload('a.txt', 'abd', { 'x-upsert': 'true' }), 200);
      const after = await info();
      for (const member of ['version', 'etag', 'last_modified'])
        assert.notEqual(at(after, member), at(before, member), `${member} after the replacement`);
      assert.equal(at(after, 'created_at'), at(before, 'created_at'), 'created_at after the replacement');
    },
    { since },
  ),
  uploads(
    'STORE-352',
    'an upload by PUT returns Id and Key as one by POST, and an object may have no bytes',
    async ({ name, service, upload }) => {
      const posted = await upload('f/a.txt', '');
      assert.equal(at(posted.json, 'Key'), `${name}/f/a.txt`, 'Key of the upload by POST');
      const headers = { 'Content-Type': 'text/plain' };
      const put = await service.send('PUT', `/object/${name}/f/a.txt`, { body: '', headers });
      assert.deepEqual(
        [textAt(put, 'Id'), textAt(put, 'Key')],
        [textAt(posted, 'Id'), `${name}/f/a.txt`],
        'Id and Key of the upload by PUT',
      );
      const got = await service.send('GET', `/object/${name}/f/a.txt`);
      assert.deepEqual(
        [got.status, got.text, got.headers.get('content-length')],
        [200, '', '0'],
        'the status, the text and the header content-length',
      );
    },
    { since },
  ),
  uploads(
    'STORE-353',
    'a form is subject to the limits of its bucket, and replaces only with x-upsert',
    async ({ name, service, upload }, { target: { fetch, serviceKey } }) => {
      const key = serviceKey ?? '';
      const post = async (path: string, text: string, type: string, headers = {}) => {
        const form = new FormData();
        form.append('cacheControl', '9');
        form.append('', new Blob([text], { type }), 'a.txt');
        const sent = await fetch(`${service.baseUrl}/object/${name}/${path}`, {
          method: 'POST',
          body: form,
          headers: {
            apikey: key,
            ...(!key.startsWith('sb_') && { Authorization: `Bearer ${key}` }),
            ...headers,
          },
        });
        const body = await sent.text();
        const json: unknown = body.startsWith('{') ? JSON.parse(body) : undefined;
        return { status: sent.status, headers: sent.headers, text: body, json };
      };
      await upload('a.txt', 'old');
      const limits = { file_size_limit: 3, allowed_mime_types: ['text/plain'] };
      await service.send('PUT', `/bucket/${name}`, { body: limits });
      assertRefusal(await post('b.txt', '1234', 'text/plain'), 413, 'EntityTooLarge');
      assertRefusal(await post('b.txt', '123', 'text/css'), 415, 'InvalidMimeType');
      assertRefusal(await post('a.txt', '123', 'text/plain'), 409, 'KeyAlreadyExists');
      assertStatus(await post('a.txt', '123', 'text/plain', { 'x-upsert': 'true' }), 200);
      const got = await service.send('GET', `/object/${name}/a.txt`);
      assert.deepEqual(
        [got.text, got.headers.get('cache-control')],
        ['123', 'max-age=9'],
        'the text and the header cache-control',
      );
    },
    { since },
  ),
];
