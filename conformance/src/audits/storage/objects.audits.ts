import { assert } from '../../target/assertion.ts';
import type { Audit } from '../../audit/audit.ts';
import type { AuditContext } from '../../audit/audit-context.ts';
import { assertStatus, at, createWire, textAt, type WireResponse } from '../../target/wire.ts';
import type { ServerBucket } from '../../audit/bucket.ts';
import {
  assertRefusal,
  assertRefused,
  base64,
  bucketAudits,
  infoOf,
  isNow,
  pathOf,
} from './storage-audit.ts';

const uploads = bucketAudits('uploads');
const reads = bucketAudits('reads');
const names = bucketAudits('names');

const get = (
  { name, service }: ServerBucket,
  path: string,
  headers = {},
  query = {},
): Promise<WireResponse> => service.send('GET', `/object/${name}/${pathOf(path)}`, { headers, query });

/** Uploads a body with the headers of `fetch`, and returns the status. */
async function post(
  { name, service }: ServerBucket,
  { target: { fetch, serviceKey } }: AuditContext,
  path: string,
  body: FormData | Uint8Array<ArrayBuffer>,
): Promise<number> {
  const key = serviceKey ?? '';
  const headers = { apikey: key, ...(!key.startsWith('sb_') && { Authorization: `Bearer ${key}` }) };
  const sent = await fetch(`${service.baseUrl}/object/${name}/${path}`, { method: 'POST', body, headers });
  await sent.text();
  return sent.status;
}

const stored: readonly Audit[] = [
  uploads('STORE-301', 'an object that exists is refused as KeyAlreadyExists', async ({ upload }) => {
    await upload('a.txt', 'one');
    assertRefusal(await upload('a.txt', 'two'), 409, 'KeyAlreadyExists');
  }),
  uploads('STORE-302', 'PUT stores an object whether or not one exists', async (bucket) => {
    const { name, service } = bucket;
    const headers = { 'Content-Type': 'text/plain' };
    for (const body of ['one', 'two'])
      assertStatus(await service.send('PUT', `/object/${name}/a.txt`, { body, headers }), 200);
    assert.equal((await get(bucket, 'a.txt')).text, 'two', 'the text');
  }),
  uploads('STORE-303', 'only x-upsert: true replaces an object', async ({ upload }) => {
    await upload('a.txt', 'one');
    for (const value of ['1', 'TRUE', 'false'])
      assertRefusal(await upload('a.txt', 'two', { 'x-upsert': value }), 409, 'KeyAlreadyExists');
  }),
  uploads(
    'STORE-304',
    "the object's own Cache-Control is that of the upload, else no-cache",
    async (bucket) => {
      await bucket.upload('a.txt', 'a', { 'Cache-Control': 'max-age=60' });
      await bucket.upload('b.txt', 'b');
      const values = await Promise.all(
        ['a.txt', 'b.txt'].map(async (path) => (await get(bucket, path)).headers.get('cache-control')),
      );
      assert.deepEqual(values, ['max-age=60', 'no-cache'], 'the headers cache-control');
    },
  ),
  uploads('STORE-305', 'the user metadata in x-metadata is stored', async (bucket) => {
    await bucket.upload('a.txt', 'a', { 'x-metadata': base64({ by: 'Ädä', pages: 3 }) });
    assert.deepEqual(at(await infoOf(bucket, 'a.txt'), 'metadata'), { by: 'Ädä', pages: 3 }, 'the metadata');
  }),
  uploads('STORE-306', 'user metadata that is not JSON is ignored', async (bucket) => {
    assertStatus(await bucket.upload('a.txt', 'a', { 'x-metadata': '{{{' }), 200);
    assert.deepEqual(at(await infoOf(bucket, 'a.txt'), 'metadata'), {}, 'the metadata');
  }),
  uploads('STORE-307', 'a form stores its file with its fields', async (bucket, context) => {
    const form = new FormData();
    form.append('cacheControl', '60');
    form.append('metadata', '{"from":"form"}');
    form.append('', new Blob(['form'], { type: 'text/css' }), 'a.css');
    assert.equal(await post(bucket, context, 'a.css', form), 200, 'the status');
    const info = await infoOf(bucket, 'a.css');
    assert.deepEqual(
      [at(info, 'content_type'), at(info, 'cache_control'), at(info, 'metadata')],
      ['text/css', 'max-age=60', { from: 'form' }],
      'the description',
    );
  }),
  uploads(
    'STORE-308',
    'a file over the limit of its bucket is refused as EntityTooLarge',
    async ({ name, service, upload }) => {
      await service.send('PUT', `/bucket/${name}`, { body: { file_size_limit: 3 } });
      assertStatus(await upload('a.txt', '123'), 200);
      assertRefusal(await upload('b.txt', '1234'), 413, 'EntityTooLarge');
    },
  ),
  uploads(
    'STORE-309',
    'a media type that the bucket does not allow is refused',
    async ({ name, service, upload }) => {
      await service.send('PUT', `/bucket/${name}`, {
        body: { allowed_mime_types: ['image/*', 'text/plain'] },
      });
      assertStatus(await upload('a.txt', 'a'), 200);
      assertStatus(await upload('a.png', 'a', { 'Content-Type': 'image/png' }), 200);
      assertRefusal(await upload('a.css', 'a', { 'Content-Type': 'text/css' }), 415, 'InvalidMimeType');
    },
  ),
  uploads('STORE-310', 'a media type is compared with its parameters', async ({ name, service, upload }) => {
    await service.send('PUT', `/bucket/${name}`, { body: { allowed_mime_types: ['text/plain'] } });
    const headers = { 'Content-Type': 'text/plain; charset=utf-8' };
    assertRefusal(await upload('a.txt', 'a', headers), 415, 'InvalidMimeType');
  }),
  uploads('STORE-311', 'the placeholder of an empty folder has no bytes', async ({ upload }) => {
    assertStatus(await upload('f/.emptyFolderPlaceholder', ''), 200);
    assertRefusal(await upload('g/.emptyFolderPlaceholder', 'x'), 413, 'EntityTooLarge');
  }),
  uploads(
    'STORE-312',
    'an upload into a bucket that does not exist is NoSuchBucket',
    async ({ name, service }) => {
      const headers = { 'Content-Type': 'text/plain' };
      assertRefusal(
        await service.send('POST', `/object/${name}-none/a.txt`, { body: 'a', headers }),
        404,
        'NoSuchBucket',
      );
    },
  ),
  uploads('STORE-313', 'X-Robots-Tag of the upload is that of the object, else none', async (bucket) => {
    await bucket.upload('a.txt', 'a', { 'X-Robots-Tag': 'noindex' });
    await bucket.upload('b.txt', 'b');
    const values = await Promise.all(
      ['a.txt', 'b.txt'].map(async (path) => (await get(bucket, path)).headers.get('x-robots-tag')),
    );
    assert.deepEqual(values, ['noindex', 'none'], 'the headers x-robots-tag');
    assertRefusal(await bucket.upload('c.txt', 'c', { 'X-Robots-Tag': 'sometimes' }), 400, 'InvalidRequest');
  }),
];

const ROBOTS_TAGS = [
  'noindex, nofollow',
  'max-snippet: -1, max-image-preview: large',
  'googlebot: noindex',
  'unavailable_after: Mon, 01 Jan 2035 00:00:00 GMT, noindex',
];
const WRONG_ROBOTS_TAGS = [
  'noindex, sometimes',
  'noindex,, nofollow',
  'max-snippet: -2',
  'max-video-preview: some',
  'max-image-preview: huge',
  'unavailable_after: tomorrow or so',
  'googlebot:',
];

const replaced: readonly Audit[] = [
  uploads(
    'STORE-334',
    'an upload returns the id of the object, which a replacement keeps',
    async (bucket) => {
      const id = textAt(await bucket.upload('a.txt', 'one'), 'Id');
      assert.equal(at(await infoOf(bucket, 'a.txt'), 'id'), id, 'the id of the object');
      const again = await bucket.upload('a.txt', 'two', { 'x-upsert': 'true' });
      assert.deepEqual(
        [at(again.json, 'Id'), at(again.json, 'Key')],
        [id, `${bucket.name}/a.txt`],
        'Id and Key of the replacement',
      );
    },
    { since: '1.0.0' },
  ),
  uploads(
    'STORE-335',
    'nothing that describes an object stays when it is replaced',
    async (bucket) => {
      const headers = { 'Content-Type': 'text/css', 'Cache-Control': 'max-age=9', 'X-Robots-Tag': 'all' };
      await bucket.upload('a', 'old', { ...headers, 'x-metadata': base64({ k: 1 }) });
      assertStatus(await bucket.upload('a', 'longer', { 'x-upsert': 'true' }), 200);
      const info = await infoOf(bucket, 'a');
      const members = ['content_type', 'cache_control', 'size', 'metadata'];
      assert.deepEqual(
        members.map((member) => at(info, member)),
        ['text/plain', 'no-cache', 6, {}],
        'the members',
      );
      const got = await get(bucket, 'a');
      assert.deepEqual(
        [got.text, got.headers.get('x-robots-tag'), got.headers.get('etag')],
        ['longer', 'none', at(info, 'etag')],
        'the text and the headers x-robots-tag and etag',
      );
    },
    { since: '1.0.0' },
  ),
  uploads(
    'STORE-336',
    'a form may name the type and the metadata in the fields contentType and userMetadata',
    async (bucket, context) => {
      const form = new FormData();
      form.append('contentType', 'image/svg+xml');
      form.append('userMetadata', '{"from":"form"}');
      form.append('file', new Blob(['form'], { type: 'text/css' }), 'a.css');
      assert.equal(await post(bucket, context, 'a.svg', form), 200, 'the status');
      const info = await infoOf(bucket, 'a.svg');
      assert.deepEqual(
        [at(info, 'content_type'), at(info, 'cache_control'), at(info, 'metadata')],
        ['image/svg+xml', 'no-cache', { from: 'form' }],
        'the description',
      );
    },
    { since: '1.0.0' },
  ),
  uploads(
    'STORE-337',
    'the placeholder of an empty folder may have any type',
    async ({ name, service, upload }) => {
      await service.send('PUT', `/bucket/${name}`, { body: { allowed_mime_types: ['image/png'] } });
      assertRefusal(await upload('f/a', ''), 415, 'InvalidMimeType');
      assertStatus(await upload('f/.emptyFolderPlaceholder', ''), 200);
    },
    { since: '1.0.0' },
  ),
  uploads(
    'STORE-338',
    'X-Robots-Tag has known rules, with values, user agents and dates',
    async (bucket) => {
      for (const tag of ROBOTS_TAGS) {
        assertStatus(await bucket.upload('a.txt', 'a', { 'X-Robots-Tag': tag, 'x-upsert': 'true' }), 200);
        assert.equal(
          (await get(bucket, 'a.txt')).headers.get('x-robots-tag'),
          tag,
          'the header x-robots-tag',
        );
      }
      for (const tag of WRONG_ROBOTS_TAGS)
        assertRefusal(await bucket.upload('b.txt', 'b', { 'X-Robots-Tag': tag }), 400, 'InvalidRequest');
    },
    { since: '1.0.0' },
  ),
];

const FORM = { 'Content-Type': 'multipart/form-data; boundary=X', 'x-upsert': 'true' };
/** A form whose file has these headers, with a field before it. */
const formOf = (headers: string, content: string, [name, value] = ['other', '']) =>
  `--X\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n--X\r\n${headers}\r\n\r\n${content}\r\n--X--\r\n`;
const DISPOSITION = 'Content-Disposition: form-data; name="a"; filename="a.txt"';

const ofForms: readonly Audit[] = [
  uploads(
    'STORE-359',
    'the file of a form has its own type, else text/plain, and fields have effect unless they are empty',
    async (bucket) => {
      const stored = async (form: string) => {
        assertStatus(await bucket.upload('a', form, FORM), 200);
        const info = await infoOf(bucket, 'a');
        const { text } = await get(bucket, 'a');
        return [text, ...['content_type', 'cache_control', 'metadata'].map((member) => at(info, member))];
      };
      const typed = `${DISPOSITION}\r\nContent-Type: text/css`;
      const image = 'content-type: image/png\r\ncontent-disposition: form-data; name="file"; filename=""';
      assert.deepEqual(
        [
          await stored(formOf(DISPOSITION, 'abc')),
          await stored(formOf(typed, '', ['cacheControl', ''])),
          await stored(formOf(image, 'abc', ['cacheControl', '-5'])),
          await stored(formOf(typed, 'abc', ['contentType', ''])),
          await stored(formOf(typed, 'abc', ['contentType', 'x/y'])),
          await stored(formOf(typed, '\r\n--Y\r\n--', ['metadata', '{"a":"ä"}'])),
          await stored(formOf(typed, 'abc', ['metadata', 'null'])),
          await stored(formOf(typed, 'abc', ['userMetadata', '{"u":1}'])),
        ],
        [
          ['abc', 'text/plain', 'no-cache', {}],
          ['', 'text/css', 'no-cache', {}],
          ['abc', 'image/png', 'max-age=-5', {}],
          ['abc', 'text/css', 'no-cache', {}],
          ['abc', 'x/y', 'no-cache', {}],
          ['\r\n--Y\r\n--', 'text/css', 'no-cache', { a: 'ä' }],
          ['abc', 'text/css', 'no-cache', {}],
          ['abc', 'text/css', 'no-cache', { u: 1 }],
        ],
        'the texts, the types, the cache controls and the metadata',
      );
    },
    { since: '1.0.0' },
  ),
  uploads(
    'STORE-360',
    'the first file of a form is stored, of any size, and no part of the form with it',
    async (bucket) => {
      const quoted = { ...FORM, 'Content-Type': 'multipart/form-data; boundary="X"' };
      assertStatus(await bucket.upload('quoted', formOf(DISPOSITION, 'abc'), quoted), 200);
      assert.equal((await get(bucket, 'quoted')).text, 'abc', 'the text of a quoted boundary');
      const two = `${DISPOSITION}\r\n\r\none\r\n--X\r\nContent-Disposition: form-data; name="b"; filename="b"`;
      assertStatus(await bucket.upload('two', formOf(two, 'two'), FORM), 200);
      assert.equal((await get(bucket, 'two')).text, 'one', 'the text');
      // A parser that reads in windows may miss a delimiter at the end of one.
      for (const bytes of [2 ** 20 - 4, 2 ** 20, 2 ** 21 - 2]) {
        const content = 'x'.repeat(bytes);
        assertStatus(await bucket.upload('large', formOf(DISPOSITION, content), FORM), 200);
        const head = await bucket.service.send('HEAD', `/object/${bucket.name}/large`);
        assert.equal(head.headers.get('content-length'), String(bytes), 'the header content-length');
      }
    },
    { since: '1.0.0' },
  ),
  uploads(
    'STORE-361',
    'an upload with an invalid media type is refused',
    async ({ upload }) => {
      for (const type of ['nonsense', 'a/', '/b', 'a/b/c'])
        assertRefused(
          await upload('a', 'a', { 'Content-Type': type }),
          415,
          'InvalidMimeType',
          'Invalid Content-Type header',
          { error: 'invalid_mime_type' },
        );
    },
    { since: '1.0.0' },
  ),
];

/** Names with characters that separate the parts of a URL. */
const ODD_NAMES = [
  'icon@2x.png',
  '10:48:15Z.txt',
  'R&D.pdf',
  'a$b',
  'a=b',
  'a;b',
  'a+b',
  'a,b',
  'a?b',
  "it's (1)!*.txt",
];
const REFUSED = ['ü', '😀', 'a#b', 'a%b', '[a]', 'a\\b', 'a|b', 'a"b', '~', '{a}', '<a>', 'a^b', 'a`b'];

const ofNames: readonly Audit[] = [
  names(
    'STORE-314',
    'an object is stored, read and described under a name with separators of URLs',
    async (bucket) => {
      for (const path of ODD_NAMES) {
        assertStatus(await bucket.upload(pathOf(path), path), 200);
        assert.equal((await get(bucket, path)).text, path, `the text of ${path}`);
        assert.equal(at(await infoOf(bucket, path), 'name'), path, `the name of ${path}`);
      }
    },
  ),
  names('STORE-315', 'characters beyond the safe ones are refused as InvalidKey', async ({ upload }) => {
    for (const path of REFUSED) assertRefusal(await upload(pathOf(path), 'x'), 400, 'InvalidKey');
  }),
  names('STORE-316', 'a read of such a name is refused as InvalidKey, too', async (bucket) => {
    assertRefusal(await get(bucket, 'a#b'), 400, 'InvalidKey');
    assertRefusal(
      await bucket.service.send('GET', `/object/info/${bucket.name}/${pathOf('ü')}`),
      400,
      'InvalidKey',
    );
  }),
  // A gateway may merge the slashes of each path.
  names('STORE-317', 'an object with repeated slashes in its path is read by that path', async (bucket) => {
    await bucket.upload('a//b', 'double');
    assert.equal((await get(bucket, 'a//b')).text, 'double', 'the text');
  }),
  names('STORE-318', 'an escaped slash is a slash', async (bucket) => {
    await bucket.upload('a%2Fb.txt', 'x');
    assert.equal((await get(bucket, 'a/b.txt')).text, 'x', 'the text');
  }),
];

const rangeAudit = (id: string, header: string, part: string, contentRange: string, options = {}): Audit =>
  reads(
    id,
    `${header} of ten bytes is ${contentRange.slice(0, -3)}`,
    async (bucket) => {
      await bucket.upload('a.txt', '0123456789');
      const got = await get(bucket, 'a.txt', { Range: header });
      assert.deepEqual(
        [got.status, got.text, got.headers.get('content-range')],
        [206, part, contentRange],
        'the status, the text and the header content-range',
      );
    },
    options,
  );

const served: readonly Audit[] = [
  rangeAudit('STORE-319', 'bytes=2-4', '234', 'bytes 2-4/10'),
  rangeAudit('STORE-320', 'bytes=7-', '789', 'bytes 7-9/10'),
  rangeAudit('STORE-321', 'bytes=-2', '89', 'bytes 8-9/10'),
  rangeAudit('STORE-322', 'bytes=8-99', '89', 'bytes 8-9/10'),
  rangeAudit('STORE-339', 'bytes=-99', '0123456789', 'bytes 0-9/10', { since: '1.0.0' }),
  rangeAudit('STORE-340', 'bytes=0-0', '0', 'bytes 0-0/10', { since: '1.0.0' }),
  rangeAudit('STORE-341', 'bytes=9-9', '9', 'bytes 9-9/10', { since: '1.0.0' }),
  reads('STORE-323', 'a range outside of the object, or several, is 416', async (bucket) => {
    await bucket.upload('a.txt', '0123456789');
    for (const Range of ['bytes=10-12', 'bytes=3-2', 'bytes=0-1,3-4', 'items=0-1', 'bytes=-0'])
      assertRefusal(await get(bucket, 'a.txt', { Range }), 416, 'InvalidRange', 416);
  }),
  reads('STORE-324', 'the ETag of the object in If-None-Match is 304 without bytes', async (bucket) => {
    await bucket.upload('a.txt', 'a');
    const etag = (await get(bucket, 'a.txt')).headers.get('etag') ?? '';
    const same = await get(bucket, 'a.txt', { 'If-None-Match': etag });
    assert.deepEqual([same.status, same.text], [304, ''], 'the status and the text');
  }),
  reads('STORE-325', 'another ETag gets the object with caching headers', async (bucket) => {
    await bucket.upload('a.txt', 'a', { 'Cache-Control': 'max-age=60' });
    const other = await get(bucket, 'a.txt', { 'If-None-Match': '"another"' });
    assertStatus(other, 200);
    // s-maxage is a setting of the service.
    assert.match(
      other.headers.get('cache-control') ?? '',
      /^max-age=60, (?:s-maxage=\d+, )?stale-while-revalidate=30$/,
      'the header cache-control',
    );
  }),
  reads('STORE-326', 'a later time in If-Modified-Since is 304', async (bucket) => {
    await bucket.upload('a.txt', 'a');
    const later = await get(bucket, 'a.txt', { 'If-Modified-Since': 'Fri, 01 Jan 2100 00:00:00 GMT' });
    assert.equal(later.status, 304, 'the status');
    const earlier = await get(bucket, 'a.txt', { 'If-Modified-Since': 'Fri, 01 Jan 2010 00:00:00 GMT' });
    assertStatus(earlier, 200);
  }),
  reads('STORE-327', 'download sets the file name for browsers', async (bucket) => {
    await bucket.upload('a.txt', 'a');
    const named = await get(bucket, 'a.txt', {}, { download: 'ü b.txt' });
    assert.equal(
      named.headers.get('content-disposition'),
      "attachment; filename=%C3%BC%20b.txt; filename*=UTF-8''%C3%BC%20b.txt",
      'the header content-disposition',
    );
    const own = await get(bucket, 'a.txt', {}, { download: '' });
    assert.equal(own.headers.get('content-disposition'), 'attachment;', 'the header of an empty name');
    const twice = await bucket.service.send('GET', `/object/${bucket.name}/a.txt?download=a&download=b`);
    assert.equal(
      twice.headers.get('content-disposition'),
      "attachment; filename=a%2Cb; filename*=UTF-8''a%2Cb",
      'the header of two names',
    );
  }),
  reads('STORE-328', 'an uploaded page is served as plain text', async (bucket) => {
    for (const type of ['text/html', 'text/html; charset=utf-8']) {
      await bucket.upload('a.html', '<b>', { 'Content-Type': type, 'x-upsert': 'true' });
      const got = await get(bucket, 'a.html');
      assert.match(got.headers.get('content-type') ?? '', /^text\/plain/, 'the header content-type');
    }
  }),
  reads('STORE-329', 'HEAD returns the size, the type and the ETag, and no bytes', async (bucket) => {
    await bucket.upload('a.txt', 'abc');
    const head = await bucket.service.send('HEAD', `/object/${bucket.name}/a.txt`);
    assertStatus(head, 200);
    assert.equal(head.text, '', 'the text');
    assert.equal(head.headers.get('content-length'), '3', 'the header content-length');
    assert.match(head.headers.get('content-type') ?? '', /^text\/plain/, 'the header content-type');
    assert.equal(
      head.headers.get('etag'),
      (await get(bucket, 'a.txt')).headers.get('etag'),
      'the header etag',
    );
  }),
  reads('STORE-330', 'HEAD of an object that does not exist is 400', async ({ name, service }) => {
    assertStatus(await service.send('HEAD', `/object/${name}/none.txt`), 400);
  }),
  reads('STORE-331', 'an object that does not exist is NoSuchKey', async (bucket) => {
    assertRefusal(await get(bucket, 'none.txt'), 404, 'NoSuchKey');
  }),
  reads('STORE-332', 'the info of an object has its size, type, times and ETag', async (bucket) => {
    await bucket.upload('f/a.txt', 'abc');
    const info = await infoOf(bucket, 'f/a.txt');
    const members = ['name', 'bucket_id', 'size', 'content_type', 'cache_control', 'etag'];
    assert.deepEqual(
      members.map((member) => at(info, member)),
      ['f/a.txt', bucket.name, 3, 'text/plain', 'no-cache', '"900150983cd24fb0d6963f7d28e17f72"'],
      'the members',
    );
    for (const member of ['created_at', 'last_modified'])
      assert.ok(Math.abs(Date.parse(String(at(info, member))) - Date.now()) < 3_600_000, `${member} is now`);
  }),
  reads('STORE-333', 'every read accepts byte ranges', async (bucket) => {
    await bucket.upload('a.txt', 'a');
    assert.equal(
      (await get(bucket, 'a.txt')).headers.get('accept-ranges'),
      'bytes',
      'the header accept-ranges',
    );
  }),
];

const routed: readonly Audit[] = [
  reads(
    'STORE-342',
    'an object is read and described by the routes of any caller and of signed-in users',
    async (bucket) => {
      await bucket.upload('a.txt', 'abc');
      const path = `${bucket.name}/a.txt`;
      for (const route of [`/object/${path}`, `/object/authenticated/${path}`]) {
        const got = await bucket.service.send('GET', route);
        const modifiedMs = Date.parse(got.headers.get('last-modified') ?? '');
        assert.deepEqual(
          [got.text, got.headers.get('content-length'), got.headers.get('etag')],
          ['abc', '3', '"900150983cd24fb0d6963f7d28e17f72"'],
          `the text and the headers content-length and etag of ${route}`,
        );
        assert.ok(Math.abs(modifiedMs - Date.now()) < 3_600_000, 'the header last-modified is now');
        assertStatus(await bucket.service.send('HEAD', route), 200);
      }
      for (const route of [`/object/info/${path}`, `/object/info/authenticated/${path}`])
        assert.equal(at((await bucket.service.send('GET', route)).json, 'name'), 'a.txt', `name of ${route}`);
    },
    { since: '1.0.0' },
  ),
  reads(
    'STORE-343',
    'an object has the media type of its upload, else application/octet-stream',
    async (bucket, context) => {
      await bucket.upload('a', '{}', { 'Content-Type': 'application/json; charset=utf-8' });
      assert.equal(await post(bucket, context, 'b', new Uint8Array([1, 2])), 200, 'the status');
      const types = await Promise.all(
        ['a', 'b'].map(async (path) => (await get(bucket, path)).headers.get('content-type')),
      );
      assert.deepEqual(
        types,
        ['application/json; charset=utf-8', 'application/octet-stream'],
        'the headers content-type',
      );
    },
    { since: '1.0.0' },
  ),
];

const described: readonly Audit[] = [
  reads(
    'STORE-362',
    'a row of an object has the same members in each response',
    async (bucket) => {
      const { name, service, upload } = bucket;
      const headers = { 'Content-Type': 'text/css', 'Cache-Control': 'max-age=9', 'X-Robots-Tag': 'noindex' };
      await upload('f/a.css', 'abc', { ...headers, 'x-metadata': base64({ k: 1 }) });
      const own = {
        size: 3,
        eTag: '"900150983cd24fb0d6963f7d28e17f72"',
        mimetype: 'text/css',
        cacheControl: 'max-age=9',
        contentLength: 3,
        httpStatusCode: 200,
        xRobotsTag: 'noindex',
      };
      const transfer = { bucketId: name, sourceKey: 'f/a.css', destinationKey: 'f/b.css' };
      const copied = await service.send('POST', '/object/copy', { body: transfer });
      const prefixes = ['f/b.css'];
      const listed = await service.send('POST', `/object/list/${name}`, { body: { prefix: 'f' } });
      const byTime = { prefix: 'f', sortBy: { column: 'created_at' } };
      const ordered = await service.send('POST', `/object/list/${name}`, { body: byTime });
      const page = await service.send('POST', `/object/list-v2/${name}`, { body: { prefix: 'f' } });
      const removed = await service.send('DELETE', `/object/${name}`, { body: { prefixes } });
      const rows = [
        [copied.json, 'f/b.css'],
        [at(removed.json, 0), 'f/b.css'],
        [at(listed.json, 0), 'a.css'],
        [at(ordered.json, 0), 'a.css'],
        [at(page.json, 'objects', 0), 'f/a.css'],
      ] as const;
      for (const [row, path] of rows) {
        assert.equal(at(row, 'name'), path, 'the name');
        assert.match(String(at(row, 'id')), /^[\da-f-]{36}$/, 'the id');
        for (const member of ['created_at', 'updated_at', 'last_accessed_at'])
          assert.ok(isNow(at(row, member)), `${member} is now`, String(at(row, member)));
        const metadata = Object.keys(own).map((member) => at(row, 'metadata', member));
        assert.deepEqual(metadata, Object.values(own), `${Object.keys(own).join(', ')} of ${path}`);
        assert.ok(isNow(at(row, 'metadata', 'lastModified')), 'lastModified is now');
      }
      for (const [row] of rows.slice(0, 2)) {
        const members = ['bucket_id', 'owner', 'owner_id', 'user_metadata'];
        assert.deepEqual(
          members.map((member) => at(row, member)),
          [name, '', '', { k: 1 }],
          members.join(', '),
        );
        assert.match(String(at(row, 'version')), /^[\da-f-]{36}$/, 'the version');
      }
    },
    { since: '1.0.0' },
  ),
  reads(
    'STORE-363',
    'a link answers HEAD, and no range of an object without bytes exists',
    async (bucket, { target }) => {
      const { name, service, upload } = bucket;
      await upload('a.txt', 'abc');
      await upload('empty', '');
      const signed = await service.send('POST', `/object/sign/${name}/a.txt`, { body: { expiresIn: 60 } });
      const link = createWire(service.baseUrl, '', target.fetch);
      const head = await link.send('HEAD', textAt(signed, 'signedURL'));
      assert.deepEqual(
        [head.status, head.text, head.headers.get('content-length'), head.headers.get('cache-control')],
        [200, '', '3', null],
        'the status, the text and the headers content-length and cache-control',
      );
      for (const Range of ['bytes=0-', 'bytes=0-0', 'bytes=-1', 'bytes=-', 'bytes=a-b', 'bytes=0-1x'])
        assertRefused(await get(bucket, 'empty', { Range }), 416, 'InvalidRange', 'invalid range provided', {
          error: 'invalid_range',
          httpStatus: 416,
        });
    },
    { since: '1.0.0' },
  ),
];

export const storageObjectAudits: readonly Audit[] = [
  ...stored,
  ...replaced,
  ...ofForms,
  ...ofNames,
  ...served,
  ...routed,
  ...described,
];
