import { assert } from '../../target/assertion.ts';
import type { Audit } from '../../audit/audit.ts';
import { NotRunError } from '../../target/target.ts';
import { assertStatus, at, createWire, textAt, type WireResponse } from '../../target/wire.ts';
import {
  assertInvalid,
  assertRefusal,
  assertRefused,
  assertUnreadable,
  base64,
  bucketAudits,
} from './storage-audit.ts';

const access = bucketAudits('access');
const bodies = bucketAudits('bodies');
const changes = bucketAudits('removal-and-transfers');
const links = bucketAudits('links');
const buckets = bucketAudits('buckets');
const uploads = bucketAudits('uploads');
const since = '1.0.0';

/** Asserts the members of a refusal that an application shows or distinguishes by text. */
function assertTexts(response: WireResponse, error: string, message: string): void {
  assert.deepEqual(
    [at(response.json, 'error'), at(response.json, 'message')],
    [error, message],
    'error and message of the refusal',
  );
}

const invalidKey = (key: string) => `Invalid key: ${key}`;

const NOT_FINITE = 'must pass "finite" keyword validation';
const NO_SIZE = String.raw`must match pattern "^[0-9]+(?:\.[0-9]+)?(?:[gG][bB]|[mM][bB]|[kK][bB]|[bB])$"`;

/** The message for a limit that neither schema of it allows. */
const noLimit = (...problems: readonly string[]) =>
  [...problems, 'must match a schema in anyOf']
    .map((problem) => `body/file_size_limit ${problem}`)
    .join(', ');

type Violations = readonly (readonly [body: object, message: string])[];

const OF_BUCKETS: Violations = [
  [{ name: {} }, 'body/name must be string'],
  [{ name: ['a', 'b'] }, 'body/name must be string'],
  [{ id: {} }, 'body/id must be string'],
  [{ public: 'yes' }, 'body/public must be boolean'],
  [{ public: 2 }, 'body/public must be boolean'],
  [{ public: {} }, 'body/public must be boolean'],
  [{ type: 'x' }, 'body/type must be equal to one of the allowed values'],
  [{ allowed_mime_types: {} }, 'body/allowed_mime_types must be array'],
  [{ allowed_mime_types: ['a/b', {}] }, 'body/allowed_mime_types/1 must be string'],
  [{ file_size_limit: {} }, noLimit('must be integer', NOT_FINITE, 'must be string')],
  [{ file_size_limit: [] }, noLimit('must be integer', NOT_FINITE, 'must be string')],
  [{ file_size_limit: [5] }, noLimit('must be integer', NO_SIZE)],
  [{ file_size_limit: -1 }, noLimit('must be >= 0', NO_SIZE)],
  [{ file_size_limit: 1.5 }, noLimit('must be integer', NO_SIZE)],
  [{ file_size_limit: ' 5 MB' }, noLimit('must be integer', NOT_FINITE, NO_SIZE)],
];

const OF_LISTS: Violations = [
  [{ prefix: {} }, 'body/prefix must be string'],
  [{ limit: 'x' }, 'body/limit must be integer'],
  [{ limit: 1.5 }, 'body/limit must be integer'],
  [{ limit: [] }, 'body/limit must be integer'],
  [{ sortBy: 'name' }, 'body/sortBy must be object'],
  [{ sortBy: [] }, 'body/sortBy must be object'],
  [{ sortBy: {} }, "body/sortBy must have required property 'column'"],
  [{ sortBy: { column: 'id' } }, 'body/sortBy/column must be equal to one of the allowed values'],
  [
    { sortBy: { column: 'name', order: 'ASC' } },
    'body/sortBy/order must be equal to one of the allowed values',
  ],
];

const OF_LINKS: Violations = [
  [{ expiresIn: 'x' }, 'body/expiresIn must be integer'],
  [{ expiresIn: null }, 'body/expiresIn must be >= 1'],
  [{ expiresIn: false }, 'body/expiresIn must be >= 1'],
  [{ expiresIn: 1.5 }, 'body/expiresIn must be integer'],
  [{ expiresIn: 'Infinity' }, `body/expiresIn ${NOT_FINITE}`],
];

const OF_IMAGES: Violations = [
  [{ width: -1 }, 'must be >= 0'],
  [{ width: 'x' }, 'must be integer'],
  [{ height: -1 }, 'must be >= 0'],
  [{ resize: 'x' }, 'must be equal to one of the allowed values'],
  [{ format: 'x' }, 'must be equal to one of the allowed values'],
  [{ quality: 19 }, 'must be >= 20'],
  [{ quality: 101 }, 'must be <= 100'],
  [{ gravity: 'x' }, 'must be equal to one of the allowed values'],
  [{ x_offset: 'x' }, 'must be number'],
  [{ y_offset: 'x' }, 'must be number'],
];
const IMAGE = { width: 0, height: 0, resize: 'cover', format: 'origin', quality: 20, gravity: 'ce' };
const OTHER_IMAGE = { width: 9, height: 9, resize: 'fill', format: 'webp', quality: 100, gravity: 'fp' };

const ROBOTS_TAGS = {
  bad: 'Invalid X-Robots-Tag rule: "bad"',
  'none,,all': 'X-Robots-Tag header contains empty rule',
  'all, a bot : ': 'X-Robots-Tag user agent "a bot" has no rules specified',
  'googlebot: max-snippet:': 'X-Robots-Tag rule "max-snippet" requires a value',
  'max-snippet: x': 'X-Robots-Tag "max-snippet" value must be an integer >= -1, got: "x"',
  'max-video-preview: -2': 'X-Robots-Tag "max-video-preview" value must be an integer >= -1, got: "-2"',
  'max-image-preview: huge':
    'X-Robots-Tag "max-image-preview" value must be one of: none, standard, large, got: "huge"',
  'unavailable_after: then': 'X-Robots-Tag "unavailable_after" value must be a valid date, got: "then"',
};

const FORM = 'multipart/form-data; boundary=X';
/** A form of parts, each with its headers. */
const formOf = (...parts: readonly string[]) =>
  `${parts.map((part) => `--X\r\n${part}\r\n`).join('')}--X--\r\n`;
const part = (disposition: string, content: string) =>
  `content-disposition: form-data; ${disposition}\r\n\r\n${content}`;
const FILE = part('name="file"; filename="a"', 'abc');
const NO_CONTENT = 'No content provided';
const BROKEN_FORM = 'Unexpected end of multipart data';

const FORMS: readonly (readonly [type: string, body: string, message: string])[] = [
  ['multipart/form-data', formOf(FILE), 'Multipart: Boundary not found'],
  [FORM, '', NO_CONTENT],
  [FORM, formOf(part('name="only"', 'field')), NO_CONTENT],
  [FORM, 'garbage', BROKEN_FORM],
];

/** What is refused, and the texts of refusals. */
export const storageRefusalAudits: readonly Audit[] = [
  bodies(
    'STORE-244',
    'a bucket that violates a schema is refused with the path and the rule',
    async ({ name, service }) => {
      for (const [body, message] of OF_BUCKETS)
        assertInvalid(await service.send('POST', '/bucket', { body: { name, ...body } }), message);
      const required = ['public', 'file_size_limit', 'allowed_mime_types'].map(
        (member) => `body must have required property '${member}'`,
      );
      for (const body of [{}, { name: 'new' }])
        assertInvalid(
          await service.send('PUT', `/bucket/${name}`, { body }),
          [...required, 'body must match a schema in anyOf'].join(', '),
        );
      assertInvalid(await service.send('PUT', `/bucket/${name}`, { body: [] }), 'body must be object');
      const infinite = { body: '{"file_size_limit":1e999}', headers: { 'Content-Type': 'application/json' } };
      assertInvalid(
        await service.send('PUT', `/bucket/${name}`, infinite),
        noLimit('must be integer', NOT_FINITE, NO_SIZE),
      );
    },
    { since },
  ),
  bodies(
    'STORE-245',
    'a list that violates a schema is refused with the path and the rule',
    async ({ name, service }) => {
      const post = (route: string, body: object) =>
        service.send('POST', `/object/${route}/${name}`, { body });
      for (const [body, message] of OF_LISTS)
        for (const route of ['list', 'list-v2'])
          assertInvalid(await post(route, { prefix: '', ...body }), message);
      assertInvalid(await post('list', { prefix: '', search: {} }), 'body/search must be string');
      assertInvalid(await post('list', { prefix: '', offset: 'x' }), 'body/offset must be integer');
      assertInvalid(await post('list-v2', { cursor: {} }), 'body/cursor must be string');
      assertInvalid(await post('list-v2', { with_delimiter: 'x' }), 'body/with_delimiter must be boolean');
      assertInvalid(
        await post('list-v2', { sortBy: { column: 'last_accessed_at' } }),
        'body/sortBy/column must be equal to one of the allowed values',
      );
      for (const query of ['search=a&search=b', 'sortColumn=name&sortColumn=id'])
        assertInvalid(
          await service.send('GET', `/bucket?${query}`),
          `querystring/${query.split('=', 1).join('')} must be string`,
        );
    },
    { since },
  ),
  bodies(
    'STORE-246',
    'a link, a removal or a transfer that violates a schema is refused with the path and the rule',
    async ({ name, service }) => {
      const sign = (body: object, path = '') =>
        service.send('POST', `/object/sign/${name}${path}`, { body: { paths: ['a'], ...body } });
      for (const [body, message] of OF_LINKS)
        for (const path of ['', '/a']) assertInvalid(await sign(body, path), message);
      assertInvalid(await sign({}), "body must have required property 'expiresIn'");
      const expiresIn = 60;
      assertInvalid(await sign({ expiresIn, paths: undefined }), "body must have required property 'paths'");
      assertInvalid(await sign({ expiresIn, paths: {} }), 'body/paths must be array');
      assertInvalid(await sign({ expiresIn, paths: ['a', {}] }), 'body/paths/1 must be string');
      const remove = (body: object) => service.send('DELETE', `/object/${name}`, { body });
      assertInvalid(await remove({ prefixes: {} }), 'body/prefixes must be array');
      const transfer = { bucketId: name, sourceKey: 'a', destinationKey: 'b' };
      for (const kind of ['copy', 'move'])
        for (const member of [...Object.keys(transfer), 'destinationBucket'])
          assertInvalid(
            await service.send('POST', `/object/${kind}`, { body: { ...transfer, [member]: {} } }),
            `body/${member} must be string`,
          );
      const copy = (body: object) => service.send('POST', '/object/copy', { body: { ...transfer, ...body } });
      assertInvalid(await copy({ metadata: 'x' }), 'body/metadata must be object');
      for (const member of ['cacheControl', 'mimetype'])
        assertInvalid(await copy({ metadata: { [member]: {} } }), `body/metadata/${member} must be string`);
      assertInvalid(await copy({ copyMetadata: 'no' }), 'body/copyMetadata must be boolean');
    },
    { since },
  ),
  bodies(
    'STORE-247',
    'a transformation of an image that violates the schema is refused with the path and the rule',
    async ({ name, service, upload }) => {
      await upload('a.txt', 'a');
      const sign = (transform: unknown) =>
        service.send('POST', `/object/sign/${name}/a.txt`, { body: { expiresIn: 60, transform } });
      for (const [transform, problem] of OF_IMAGES)
        assertInvalid(await sign(transform), `body/transform/${Object.keys(transform).join()} ${problem}`);
      assertInvalid(await sign(5), 'body/transform must be object');
      assertInvalid(await sign({ gravity: 'fp' }), "body/transform must have required property 'x_offset'");
      assertInvalid(
        await sign({ gravity: 'fp', x_offset: 0.5 }),
        "body/transform must have required property 'y_offset'",
      );
      for (const transform of [{}, IMAGE, { ...OTHER_IMAGE, x_offset: 0.5, y_offset: '0.5' }])
        assertStatus(await sign(transform), 200);
      for (const [transform, problem] of OF_IMAGES) {
        const query = new URLSearchParams(transform as Record<string, string>).toString();
        for (const info of ['info', 'info/authenticated', 'info/public'])
          assertInvalid(
            await service.send('GET', `/object/${info}/${name}/a.txt?${query}`),
            `querystring/${Object.keys(transform).join()} ${problem}`,
          );
        for (const route of [name, `authenticated/${name}`, `public/${name}`])
          assertStatus(await service.send('HEAD', `/object/${route}/a.txt?${query}`), 400);
      }
    },
    { since, isPublic: true },
  ),
  bodies(
    'STORE-248',
    'a JSON body without bytes is refused, but for calls that need none',
    async ({ name, service, upload }) => {
      await upload('a.txt', 'a');
      const headers = { 'Content-Type': 'application/json' };
      const empty = "Body cannot be empty when content-type is set to 'application/json'";
      const calls = [
        ['POST', '/bucket'],
        ['PUT', `/bucket/${name}`],
        ['POST', `/object/list/${name}`],
        ['DELETE', `/object/${name}`],
        ['DELETE', `/object/${name}/a.txt`],
        ['POST', `/object/upload/sign/${name}/b.txt`],
      ] as const;
      for (const [method, path] of calls)
        assertUnreadable(await service.send(method, path, { body: '', headers }), empty);
      assertStatus(await service.send('POST', `/bucket/${name}/empty`, { body: '', headers }), 200);
      const deleted = await service.send('DELETE', `/bucket/${name}-none`, { body: '', headers });
      assertRefused(deleted, 404, 'NoSuchBucket', 'Bucket not found', { error: 'Bucket not found' });
    },
    { since },
  ),
  bodies(
    'STORE-249',
    'a body counts as JSON by its media type, in any case and with parameters',
    async ({ name, service }) => {
      const put = (type: string) =>
        service.send('PUT', `/bucket/${name}`, {
          body: '{"public":true}',
          headers: { 'Content-Type': type },
        });
      for (const type of ['application/JSON', 'application/json; charset=utf-8', 'application/json;a=b'])
        assertStatus(await put(type), 200);
      for (const type of ['application/vnd.api+json', 'application/x-www-form-urlencoded', 'text/plain'])
        assertInvalid(await put(type), 'body must be object');
      assertRefused(await put('nonsense'), 415, 'InvalidMimeType', 'Invalid Content-Type header', {
        error: 'invalid_mime_type',
      });
      const constructor = '{"public":true,"constructor":{"prototype":{}}}';
      assertUnreadable(
        await service.send('PUT', `/bucket/${name}`, { body: constructor }),
        "Body is not valid JSON but content-type is set to 'application/json'",
      );
      const harmless = '{"public":true,"constructor":{"a":1},"prototype":{}}';
      for (const body of [
        harmless,
        '{"public":true,"constructor":null}',
        '{"public":true,"constructor":"a"}',
      ])
        assertStatus(await service.send('PUT', `/bucket/${name}`, { body }), 200);
    },
    { since },
  ),
  uploads(
    'STORE-356',
    'the refusal of X-Robots-Tag names the rule',
    async ({ upload }) => {
      for (const [tag, problem] of Object.entries(ROBOTS_TAGS))
        assertRefused(
          await upload('a.txt', 'a', { 'X-Robots-Tag': tag }),
          400,
          'InvalidRequest',
          `Invalid X-Robots-Tag header: ${problem}`,
          { error: 'invalid_x_robots_tag' },
        );
    },
    { since },
  ),
  uploads(
    'STORE-357',
    'a form that is broken or has no file is refused',
    async ({ upload }) => {
      for (const [type, body, message] of FORMS)
        assertRefused(await upload('a', body, { 'Content-Type': type }), 400, 'InvalidRequest', message);
    },
    { since },
  ),
  uploads(
    'STORE-364',
    'a form ignores parts that are no form data or have no name, and its first file needs no name or type',
    async ({ name, service, upload }) => {
      const field = 'content-disposition: form-data\r\n\r\nignored';
      const parts = [
        'x: y\r\n\r\nignored',
        'content-disposition: attachment; name="contentType"\r\n\r\na/b',
        field,
      ];
      const files = [
        ['content-disposition: form-data; filename="a"\r\n\r\nabc', 'text/plain'],
        ['content-type: \r\nContent-Disposition:form-data; filename="a"\r\n\r\nabc', 'text/plain'],
        [
          'content-type: IMAGE/PNG; a=b\r\ncontent-disposition: form-data; filename="a"\r\n\r\nabc',
          'image/png',
        ],
      ] as const;
      for (const [file, type] of files) {
        const form = formOf(...parts, file, file.replace('abc', 'second'));
        assertStatus(await upload('a', form, { 'Content-Type': FORM, 'x-upsert': 'true' }), 200);
        const read = await service.send('GET', `/object/${name}/a`);
        assert.deepEqual(
          [read.text, read.headers.get('content-type')],
          ['abc', type],
          'the text and the type',
        );
      }
    },
    { since },
  ),
  uploads(
    'STORE-358',
    'user metadata that is a list or a text is refused, and null is an empty object',
    async ({ name, service, upload }) => {
      const message = 'invalid input syntax for type json';
      for (const metadata of [[1], 'text']) {
        const headers = { 'x-metadata': base64(metadata) };
        assertRefused(await upload('a', 'a', headers), 400, 'InvalidParameter', message);
        const form = formOf(part('name="metadata"', JSON.stringify(metadata)), FILE);
        assertRefused(await upload('a', form, { 'Content-Type': FORM }), 400, 'InvalidParameter', message);
      }
      assertStatus(await upload('b', 'b', { 'x-metadata': base64(null) }), 200);
      const info = await service.send('GET', `/object/info/${name}/b`);
      assert.deepEqual(at(info.json, 'metadata'), {}, 'the metadata');
    },
    { since },
  ),
  uploads(
    'STORE-365',
    'user metadata that is a text of JSON is stored by its characters, and a number as an empty object',
    async ({ name, service, upload }) => {
      for (const [metadata, stored] of [
        [5, {}],
        ['{}', { 0: '{', 1: '}' }],
      ] as const) {
        assertStatus(await upload('b', 'b', { 'x-metadata': base64(metadata), 'x-upsert': 'true' }), 200);
        const info = await service.send('GET', `/object/info/${name}/b`);
        assert.deepEqual(at(info.json, 'metadata'), stored, `the metadata of ${JSON.stringify(metadata)}`);
      }
    },
    { since },
  ),
  links(
    'STORE-426',
    'the refusals of links say what is wrong',
    async ({ name, service, upload }, context) => {
      await upload('a.txt', 'a');
      const post = (path: string, body?: object) =>
        service.send('POST', `/object/${path}`, body ? { body } : {});
      const reading = textAt(await post(`sign/${name}/a.txt`, { expiresIn: 60 }), 'signedURL');
      const writing = textAt(await post(`upload/sign/${name}/b.txt`), 'url');
      const tokenOf = (link: string) => link.slice(link.indexOf('?'));
      const wire = createWire(service.baseUrl, '', context.target.fetch);
      const put = (link: string) =>
        wire.send('PUT', link, { body: 'x', headers: { 'Content-Type': 'text/plain' } });
      const invalid = (code: string, message: string) => [400, code, message] as const;
      const read = `/object/sign/${name}/a.txt`;
      const write = `/object/upload/sign/${name}/b.txt`;
      assertRefused(
        await put(write + tokenOf(reading)),
        ...invalid('InvalidSignature', 'Token is not scoped for upload'),
      );
      assertRefused(
        await wire.send('GET', read + tokenOf(writing)),
        ...invalid('InvalidSignature', 'Token is not scoped for download'),
      );
      assertRefused(await put(`${write}?token=x`), ...invalid('InvalidJWT', 'Invalid Compact JWS'));
      assertRefused(
        await wire.send('GET', `${read}?token=a.b.c`),
        ...invalid('InvalidJWT', 'JWS Protected Header is invalid'),
      );
      assertRefused(
        await put(`${reading.replace('/sign/', '/upload/sign/')}x`),
        ...invalid('InvalidJWT', 'signature verification failed'),
      );
      assertInvalid(await put(write), "querystring must have required property 'token'");
      for (const query of ['token=a&token=b', `download=a&download=b&${tokenOf(reading).slice(1)}`])
        assertInvalid(
          await wire.send('GET', `${read}?${query}`),
          `querystring/${query.split('=', 1).join('')} must be string`,
        );
    },
    { since },
  ),
  links(
    'STORE-427',
    'a link lasts no longer than a time can be',
    async ({ name, service, upload }) => {
      await upload('a.txt', 'a');
      const sign = (expiresIn: number, path = '') =>
        service.send('POST', `/object/sign/${name}${path}`, { body: { expiresIn, paths: ['a.txt'] } });
      for (const path of ['', '/a.txt']) {
        assertRefused(await sign(1e15, path), 400, 'InvalidParameter', 'Invalid Parameter expiresIn');
        assertStatus(await sign(1e9, path), 200);
      }
    },
    { since },
  ),
  links(
    'STORE-428',
    'an upload link needs a bucket, a sound name and a JSON body or none',
    async ({ name, service }) => {
      const sign = (path: string) => service.send('POST', `/object/upload/sign/${path}`);
      assertRefused(
        await sign(`${name}-none/a`),
        404,
        'InvalidRequest',
        'The related resource does not exist',
      );
      assertRefused(await sign('a%23b/a'), 400, 'InvalidBucketName', 'Bucket name invalid', {
        error: 'Invalid Input',
      });
    },
    { since },
  ),
  access(
    'STORE-820',
    'the refusals of tokens say what is wrong',
    async ({ name, service }, context) => {
      const { target } = context;
      const [ada, grace] = [await context.newUser(), await context.newUser()];
      const wire = createWire(service.baseUrl, target.anonKey, target.fetch);
      const list = (token: string) =>
        wire.send('POST', `/object/list/${name}`, { token, body: { prefix: '' } });
      const [, payload = '', signature = ''] = ada.accessToken.split('.');
      const unsigned = Buffer.from('{"alg":"none","typ":"JWT"}').toString('base64url');
      const forged = [...grace.accessToken.split('.').slice(0, 2), signature].join('.');
      const refusals = [
        ['x', 'Invalid Compact JWS'],
        ['a.b.c', 'JWS Protected Header is invalid'],
        [`${unsigned}.${payload}.`, '"alg" (Algorithm) Header Parameter value not allowed'],
        [forged, 'signature verification failed'],
      ] as const;
      for (const [token, message] of refusals)
        assertRefused(await list(token), 403, 'AccessDenied', message, { error: 'Unauthorized' });
    },
    { since },
  ),
  bodies(
    'STORE-237',
    'the refusals of buckets say what is wrong',
    async ({ name, service, upload }) => {
      const path = `/bucket/${name}`;
      assertTexts(
        await service.send('POST', '/bucket', { body: { name } }),
        'Duplicate',
        'The resource already exists',
      );
      assertTexts(await service.send('GET', `${path}-none`), 'Bucket not found', 'Bucket not found');
      assertTexts(
        await service.send('POST', '/bucket', { body: { name: 'a/b' } }),
        'Invalid Input',
        'Bucket name invalid',
      );
      assertTexts(
        await service.send('PUT', path, { body: { allowed_mime_types: ['nonsense'] } }),
        'invalid_mime_type',
        'mime type nonsense is not supported',
      );
      await upload('a.txt', 'a');
      const refused = await service.send('DELETE', path);
      assert.equal(
        at(refused.json, 'message'),
        'The bucket you tried to delete is not empty',
        'message of the refusal',
      );
    },
    { since },
  ),
  bodies(
    'STORE-238',
    'the refusals of uploads say what is wrong',
    async ({ name, service, upload }) => {
      await upload('a.txt', 'a');
      assertTexts(await upload('a.txt', 'b'), 'Duplicate', 'The resource already exists');
      assertTexts(await upload('a%23b', 'b'), 'InvalidKey', invalidKey('a#b'));
      const body = { file_size_limit: 3, allowed_mime_types: ['text/plain'] };
      await service.send('PUT', `/bucket/${name}`, { body });
      assertTexts(
        await upload('b.txt', '1234'),
        'Payload too large',
        'The object exceeded the maximum allowed size',
      );
      assertTexts(
        await upload('b.css', 'b', { 'Content-Type': 'text/css' }),
        'invalid_mime_type',
        'mime type text/css is not supported',
      );
    },
    { since },
  ),
  bodies(
    'STORE-239',
    'the refusals of reads and transfers say what is wrong',
    async ({ name, service, upload }) => {
      await upload('a.txt', 'a');
      const path = `/object/${name}`;
      assertTexts(await service.send('GET', `${path}/none`), 'not_found', 'Object not found');
      assertTexts(await service.send('GET', `${path}-none/a`), 'Bucket not found', 'Bucket not found');
      assertTexts(
        await service.send('GET', `${path}/a.txt`, { headers: { Range: 'bytes=9-' } }),
        'invalid_range',
        'invalid range provided',
      );
      const transfer = (sourceKey: string, destinationKey: string) =>
        service.send('POST', '/object/copy', { body: { bucketId: name, sourceKey, destinationKey } });
      assertTexts(await transfer('none', 'b'), 'not_found', 'Object not found');
      assertTexts(await transfer('a.txt', 'a#b'), 'InvalidKey', invalidKey('a#b'));
      assertTexts(await transfer('a.txt', 'a.txt'), 'Duplicate', 'The resource already exists');
    },
    { since },
  ),
  bodies(
    'STORE-240',
    'the refusals of links and of policies say what is wrong',
    async ({ name, service, upload }, context) => {
      await upload('a.txt', 'a');
      const signed = await service.send('POST', `/object/sign/${name}/a.txt`, { body: { expiresIn: 60 } });
      const path = textAt(signed, 'signedURL').replace('/a.txt?', '/b.txt?');
      const opened = await createWire(service.baseUrl, '', context.target.fetch).send('GET', path);
      assertTexts(opened, 'InvalidSignature', 'Invalid signature');
      const { accessToken: token } = await context.newUser();
      const wire = createWire(service.baseUrl, context.target.anonKey, context.target.fetch);
      const headers = { 'Content-Type': 'text/plain' };
      assertTexts(
        await wire.send('POST', `/object/${name}/b.txt`, { token, body: 'b', headers }),
        'Unauthorized',
        'new row violates row-level security policy',
      );
    },
    { since },
  ),
  buckets(
    'STORE-242',
    'a bucket that does not exist is not emptied',
    async ({ name, service }) => {
      const refused = await service.send('POST', `/bucket/${name}-none/empty`, { body: {} });
      assertRefusal(refused, 404, 'NoSuchBucket');
    },
    { since },
  ),
  buckets(
    'STORE-243',
    'a limit that is negative, a fraction or of another unit is refused and changes nothing',
    async ({ name, service }) => {
      const limit = (file_size_limit: unknown) =>
        service.send('PUT', `/bucket/${name}`, { body: { file_size_limit } });
      assertStatus(await limit(1000), 200);
      for (const wrong of [-1, 1.5, '5xb', '-5kb']) assertRefusal(await limit(wrong), 400, 'InvalidRequest');
      const { json } = await service.send('GET', `/bucket/${name}`);
      assert.equal(at(json, 'file_size_limit'), 1000, 'the limit');
    },
    { since },
  ),
  uploads(
    'STORE-355',
    'a bucket with a limit of 0 takes objects without bytes alone',
    async ({ name, service, upload }) => {
      await service.send('PUT', `/bucket/${name}`, { body: { file_size_limit: 0 } });
      const { json } = await service.send('GET', `/bucket/${name}`);
      assert.equal(at(json, 'file_size_limit'), 0, 'the limit');
      assertRefusal(await upload('a.txt', 'a'), 413, 'EntityTooLarge');
      assertStatus(await upload('b.txt', ''), 200);
    },
    { since },
  ),
  bodies(
    'STORE-255',
    'the service tells its state and its version without a key, and its health with one',
    async ({ service }, { target }) => {
      const wire = createWire(service.baseUrl, '', target.fetch);
      const status = await wire.send('GET', '/status');
      assert.deepEqual([status.status, status.text], [200, ''], 'the status and the text of /status');
      const version = await wire.send('GET', '/version');
      assertStatus(version, 200);
      assert.match(version.text, /^\d+\.\d+\.\d+/, 'the text of /version');
      const healthy = await service.send('GET', '/health');
      assert.deepEqual([healthy.status, healthy.json], [200, { healthy: true }], 'the response of /health');
    },
    { since },
  ),
  bodies(
    'STORE-256',
    'a route that does not exist is refused in the format of its part of the service',
    async ({ name, service }) => {
      for (const [method, path] of [
        ['POST', `/bucket/${name}`],
        ['PATCH', `/object/${name}/a`],
        ['GET', '/cdn'],
        ['PATCH', `/object/list/${name}?a=b`],
      ] as const)
        assertRefused(
          await service.send(method, path, method === 'POST' ? { body: {} } : {}),
          404,
          'InvalidRequest',
          `Route ${method}:${path} not found`,
          { error: 'Not Found', httpStatus: 404 },
        );
      for (const path of ['/none', '/objects', '/upload', '/status'])
        assert.deepEqual(
          (await service.send('DELETE', path)).json,
          { message: `Route DELETE:${path} not found`, error: 'Not Found', statusCode: 404 },
          `the body of the refusal of ${path}`,
        );
      assertStatus(await service.send('GET', '/bucket/'), 200);
    },
    { since },
  ),
  bodies(
    'STORE-257',
    'a path whose escapes are no UTF-8 is refused',
    async ({ service }) => {
      const refused = await service.send('GET', '/bucket/%FF');
      if (at(refused.json, 'error') === undefined && at(refused.json, 'code') === undefined)
        throw new NotRunError('a gateway refuses such escapes');
      const message = "'/bucket/%FF' is not a valid url component";
      assert.deepEqual(
        [refused.status, refused.json],
        [400, { error: 'Bad Request', code: 'FST_ERR_BAD_URL', message, statusCode: 400 }],
        'the status and the body',
      );
    },
    { since },
  ),
  bodies(
    'STORE-258',
    'a JSON body may have 1 MiB, and not more',
    async ({ name, service }) => {
      const list = (bytes: number) => {
        const empty = JSON.stringify({ prefix: '', rest: '' });
        const body = empty.replace(/"}$/, `${'x'.repeat(bytes - empty.length)}"}`);
        return service.send('POST', `/object/list/${name}`, { body });
      };
      assertStatus(await list(2 ** 20), 200);
      assertRefused(await list(2 ** 20 + 1), 413, 'EntityTooLarge', 'Request body is too large', {
        error: 'FastifyError',
        httpStatus: 413,
      });
    },
    { since },
  ),
  changes(
    'STORE-625',
    'a removal has at most the number of names that the service takes',
    async ({ name, service }) => {
      const prefixes = Array.from({ length: 1001 }, (_, index) => `n${index}`);
      const removed = await service.send('DELETE', `/object/${name}`, { body: { prefixes } });
      if (removed.status === 200) throw new NotRunError('the service takes any number of names');
      const found = String(at(removed.json, 'message'));
      const [, limit] = /limited to (\d+) objects/.exec(found) ?? [];
      assertRefused(
        removed,
        400,
        'InvalidRequest',
        `Bulk object requests are limited to ${limit} objects per request.`,
      );
    },
    { since },
  ),
  changes(
    'STORE-626',
    'the refusals of transfers say what is wrong',
    async ({ name, service, upload }) => {
      await upload('a.txt', 'a');
      const transfer = (kind: string, rest: object) =>
        service.send('POST', `/object/${kind}`, {
          body: { bucketId: name, sourceKey: 'a.txt', destinationKey: 'b.txt', ...rest },
        });
      const noObject = [404, 'NoSuchKey', 'Object not found', { error: 'not_found' }] as const;
      for (const kind of ['copy', 'move']) {
        assertRefused(await transfer(kind, { bucketId: `${name}-none` }), ...noObject);
        assertRefused(await transfer(kind, { sourceKey: '' }), ...noObject);
        assertRefused(await transfer(kind, { destinationKey: '' }), 400, 'InvalidKey', 'Invalid key: ');
        assertRefused(
          await transfer(kind, { bucketId: '' }),
          400,
          'InvalidBucketName',
          'Bucket name invalid',
          {
            error: 'Invalid Input',
          },
        );
        assertRefused(
          await transfer(kind, { destinationBucket: `${name}-none` }),
          404,
          'InvalidRequest',
          'The related resource does not exist',
        );
      }
    },
    { since },
  ),
  access(
    'STORE-827',
    'the refusal of a token that has expired, or is not valid yet, says so',
    async ({ name, service }, context) => {
      const nowSeconds = Math.floor(Date.now() / 1000);
      const { accessToken } = await context.newUser();
      const wire = createWire(service.baseUrl, context.target.anonKey, context.target.fetch);
      const list = (claims: Readonly<Record<string, unknown>>) =>
        wire.send('POST', `/object/list/${name}`, {
          token: context.signAgain(accessToken, claims),
          body: { prefix: '' },
        });
      if ((await list({})).status !== 200)
        throw new NotRunError('the target accepts no tokens of the legacy secret');
      for (const [claim, seconds] of [
        ['exp', -3600],
        ['nbf', 3600],
      ] as const)
        assertRefused(
          await list({ iat: nowSeconds - 7200, [claim]: nowSeconds + seconds }),
          403,
          'AccessDenied',
          `"${claim}" claim timestamp check failed`,
          { error: 'Unauthorized' },
        );
    },
    { since },
  ),
];
