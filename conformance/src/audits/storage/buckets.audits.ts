import { setTimeout as delay } from 'node:timers/promises';
import { assert } from '../../target/assertion.ts';
import type { Audit } from '../../audit/audit.ts';
import { assertStatus, at, createWire } from '../../target/wire.ts';
import { NotRunError } from '../../target/target.ts';
import {
  assertInvalid,
  assertRefusal,
  assertRefused,
  assertUnreadable,
  bucketAudits,
  isNow,
  maxBytesOf,
  namesOf,
} from './storage-audit.ts';

const buckets = bucketAudits('buckets');
const bodies = bucketAudits('bodies');
const names = bucketAudits('names');

const REFUSED_NAMES = ['', ' lead', 'trail ', 'a/b', 'a#b', 'a%b', 'é', 'x'.repeat(101)];
/** Small ones, which no service refuses as larger than its own limit. */
const LIMITS = { '1.5KB': 1500, '7b': 7, '2mb': 2_000_000, '0.001GB': 1_000_000 };
/** A setting, a value of another type, and the value that is stored. */
const CONVERTED: readonly (readonly [setting: string, given: unknown, stored: unknown])[] = [
  ['public', 'true', true],
  ['public', 'false', false],
  ['public', 1, true],
  ['public', 0, false],
  ['public', [true], true],
  ['public', null, false],
  ['file_size_limit', '10', 10],
  ['file_size_limit', '', null],
  ['file_size_limit', '5e2', 500],
  ['file_size_limit', true, 1],
  ['file_size_limit', null, null],
  ['allowed_mime_types', 'image/png', ['image/png']],
  ['allowed_mime_types', [['image/gif']], ['image/gif']],
  ['allowed_mime_types', ['image/*', ''], ['image/*']],
  ['allowed_mime_types', [null], []],
  ['allowed_mime_types', null, null],
  ['allowed_mime_types', [], []],
];
/** The type that a list has for each version of the client, and of the agent. */
const PYTHON_VERSIONS = new Map([
  ['0.7.1', undefined],
  ['1.99.99', undefined],
  ['2.0.0', undefined],
  ['2.9.10', undefined],
  ['2.10.0', undefined],
  ['2.17.99', undefined],
  ['2.17', 'STANDARD'],
  ['2.18.0', 'STANDARD'],
  ['2.20.0', 'STANDARD'],
  ['3.0.0', 'STANDARD'],
  ['10.0.0', 'STANDARD'],
  ['20.17.0', 'STANDARD'],
]);
const AGENT_VERSIONS = new Map([
  ['0.9.0', undefined],
  ['0.10.0', undefined],
  ['0.11.19', undefined],
  ['0.12.0', undefined],
  ['0.11', 'STANDARD'],
  ['0.12.1', 'STANDARD'],
  ['0.12.10', 'STANDARD'],
  ['0.13.0', 'STANDARD'],
  ['0.20.0', 'STANDARD'],
  ['0.120.0', 'STANDARD'],
  ['1.0.0', 'STANDARD'],
  ['10.0.0', 'STANDARD'],
]);
const NOT_JSON = "Body is not valid JSON but content-type is set to 'application/json'";
const TAKEN_CHARACTERS = "A b!_.*'()&$=@;:+,?-";

const settings: readonly Audit[] = [
  buckets(
    'STORE-201',
    'a created bucket is read with its id, its name and no limits',
    async ({ name, service }) => {
      const read = await service.send('GET', `/bucket/${name}`);
      assertStatus(read, 200);
      const members = ['id', 'name', 'public', 'file_size_limit', 'allowed_mime_types', 'owner'];
      assert.deepEqual(
        members.map((member) => at(read.json, member)),
        [name, name, false, null, null, ''],
        'the members of the bucket',
      );
    },
  ),
  buckets('STORE-202', 'a taken name is refused as BucketAlreadyExists', async ({ name, service }) => {
    assertRefusal(await service.send('POST', '/bucket', { body: { name } }), 409, 'BucketAlreadyExists');
  }),
  buckets('STORE-203', 'a bucket that does not exist is NoSuchBucket', async ({ name, service }) => {
    const path = `/bucket/${name}-none`;
    assertRefusal(await service.send('GET', path), 404, 'NoSuchBucket');
    assertRefusal(await service.send('PUT', path, { body: { public: true } }), 404, 'NoSuchBucket');
    assertRefusal(await service.send('DELETE', path), 404, 'NoSuchBucket');
  }),
  buckets('STORE-204', 'an update changes only the settings that it contains', async ({ name, service }) => {
    const body = { file_size_limit: 1000, allowed_mime_types: ['image/png'] };
    assertStatus(await service.send('PUT', `/bucket/${name}`, { body }), 200);
    assertStatus(await service.send('PUT', `/bucket/${name}`, { body: { public: true } }), 200);
    const { json } = await service.send('GET', `/bucket/${name}`);
    assert.deepEqual(
      [at(json, 'public'), at(json, 'file_size_limit'), at(json, 'allowed_mime_types')],
      [true, 1000, ['image/png']],
      'the settings',
    );
  }),
  buckets('STORE-205', 'null removes a limit', async ({ name, service }) => {
    await service.send('PUT', `/bucket/${name}`, { body: { file_size_limit: 1000 } });
    assertStatus(await service.send('PUT', `/bucket/${name}`, { body: { file_size_limit: null } }), 200);
    assert.equal(
      at((await service.send('GET', `/bucket/${name}`)).json, 'file_size_limit'),
      null,
      'the limit',
    );
  }),
  buckets('STORE-206', 'a limit may be a text with a decimal unit', async ({ name, service }) => {
    for (const [text, bytes] of Object.entries(LIMITS)) {
      await service.send('PUT', `/bucket/${name}`, { body: { file_size_limit: text } });
      const read = await service.send('GET', `/bucket/${name}`);
      assert.equal(at(read.json, 'file_size_limit'), bytes, `the limit ${text}`);
    }
  }),
  buckets('STORE-207', 'a limit as text is read to three digits', async ({ name, service }) => {
    await service.send('PUT', `/bucket/${name}`, { body: { file_size_limit: '1234567b' } });
    assert.equal(
      at((await service.send('GET', `/bucket/${name}`)).json, 'file_size_limit'),
      1_230_000,
      'the limit',
    );
  }),
  buckets('STORE-208', 'an invalid media type is refused', async ({ name, service }) => {
    for (const allowed_mime_types of [['nonsense'], ['image/png', 'a/b/c'], ['text/plain; version=1']]) {
      const body = { allowed_mime_types };
      assertRefusal(await service.send('PUT', `/bucket/${name}`, { body }), 415, 'InvalidMimeType');
    }
  }),
  buckets('STORE-209', 'a bucket with objects is not deleted', async ({ name, service, upload }) => {
    await upload('a.txt', 'a');
    assertRefusal(await service.send('DELETE', `/bucket/${name}`), 409, 'ResourceNotEmpty');
  }),
  buckets('STORE-210', 'only the service role empties a bucket', async ({ name, service }, context) => {
    const { accessToken: token } = await context.newUser();
    const response = await service.send('POST', `/bucket/${name}/empty`, { token, body: {} });
    assertRefusal(response, 403, 'AccessDenied', 403);
  }),
  buckets(
    'STORE-225',
    'emptying a bucket removes the objects of its folders, too',
    async ({ name, service, upload }) => {
      // The service removes what is older than the call by its own clock: the last object goes only if all go.
      await upload('f/b.txt', 'b');
      await upload('a.txt', 'a');
      assertStatus(await service.send('POST', `/bucket/${name}/empty`, { body: {} }), 200);
      const statusOf = async (path: string) => (await service.send('GET', `/object/${name}/${path}`)).status;
      for (const startedMs = performance.now(); (await statusOf('a.txt')) === 200; await delay(200))
        if (performance.now() - startedMs > 10_000)
          throw new NotRunError('the service empties buckets later');
      assert.equal(await statusOf('f/b.txt'), 400, 'the status of the object in the folder');
    },
    { since: '1.0.0' },
  ),
  buckets('STORE-211', 'a list of buckets is searched, ordered and limited', async ({ name, service }) => {
    const query = { search: name.toUpperCase(), sortColumn: 'name', sortOrder: 'desc', limit: '1' };
    const listed = await service.send('GET', '/bucket', { query });
    assert.deepEqual(at(listed.json, 0, 'id'), name, 'the id of the first bucket');
    assert.equal(at(listed.json, 0, 'type'), 'STANDARD', 'the type of the first bucket');
  }),
  buckets(
    'STORE-226',
    'a bucket is created with the settings of the request',
    async ({ service }, { run }) => {
      const [id, name] = [run.newName(), run.newName()];
      const body = { id, name, public: true, file_size_limit: '2MB', allowed_mime_types: ['image/*', 'a/b'] };
      const created = await service.send('POST', '/bucket', { body });
      assertStatus(created, 200);
      assert.equal(at(created.json, 'name'), name, 'name of the response');
      const { json } = await service.send('GET', `/bucket/${id}`);
      assert.deepEqual(
        ['id', 'name', 'public', 'file_size_limit', 'allowed_mime_types'].map((member) => at(json, member)),
        [id, name, true, 2_000_000, ['image/*', 'a/b']],
        'the settings',
      );
      assertStatus(await service.send('DELETE', `/bucket/${id}`), 200);
    },
    { since: '1.0.0' },
  ),
  buckets(
    'STORE-227',
    'a list of buckets is ordered in both directions, and begins at an offset',
    async ({ name, service }) => {
      const names = [name, `${name}-1`, `${name}-2`];
      for (const further of names.slice(1))
        assertStatus(await service.send('POST', '/bucket', { body: { name: further } }), 200);
      const list = async (query: Readonly<Record<string, string>>) =>
        namesOf((await service.send('GET', '/bucket', { query: { search: name, ...query } })).json);
      const lists = [
        await list({ sortColumn: 'name' }),
        await list({ sortColumn: 'name', sortOrder: 'desc', limit: '2' }),
        await list({ sortColumn: 'created_at', sortOrder: 'asc', limit: '1', offset: '1' }),
      ];
      for (const further of names.slice(1)) await service.send('DELETE', `/bucket/${further}`);
      assert.deepEqual(lists, [names, names.toReversed().slice(0, 2), [names[1]]], 'the lists');
    },
    { since: '1.0.0' },
  ),
  buckets(
    'STORE-228',
    'a bucket without objects is deleted',
    async ({ name, service, upload }) => {
      await upload('a.txt', 'a');
      await service.send('DELETE', `/object/${name}/a.txt`);
      assertStatus(await service.send('DELETE', `/bucket/${name}`), 200);
      assertRefusal(await service.send('GET', `/bucket/${name}`), 404, 'NoSuchBucket');
    },
    { since: '1.0.0' },
  ),
  buckets(
    'STORE-229',
    'an object of a bucket that is made private again has no public URL',
    async (bucket, context) => {
      const { name, service, upload } = bucket;
      await upload('a.txt', 'a');
      const read = () =>
        createWire(service.baseUrl, '', context.target.fetch).send('GET', `/object/public/${name}/a.txt`);
      for (const isPublic of [false, true, false])
        assertStatus(await service.send('PUT', `/bucket/${name}`, { body: { public: isPublic } }), 200);
      assertRefusal(await read(), 404, 'NoSuchBucket');
      const { json } = await service.send('GET', `/bucket/${name}`);
      assert.equal(at(json, 'public'), false, 'public of the bucket');
      assertStatus(await service.send('PUT', `/bucket/${name}`, { body: { public: true } }), 200);
      assert.equal((await read()).text, 'a', 'the text of the public object');
    },
    { isPublic: true, since: '1.0.0' },
  ),
  buckets(
    'STORE-230',
    'the responses to a change and a deletion of a bucket say so',
    async ({ name, service }) => {
      const changed = await service.send('PUT', `/bucket/${name}`, { body: { public: true } });
      assert.deepEqual(changed.json, { message: 'Successfully updated' }, 'the response to the change');
      const deleted = await service.send('DELETE', `/bucket/${name}`);
      assert.deepEqual(deleted.json, { message: 'Successfully deleted' }, 'the response to the deletion');
    },
    { since: '1.0.0' },
  ),
  buckets(
    'STORE-231',
    'a bucket has the times of its creation and of its last change',
    async ({ name, service }) => {
      const { json } = await service.send('GET', `/bucket/${name}`);
      for (const member of ['created_at', 'updated_at'])
        assert.ok(isNow(at(json, member)), `${member} is now`, String(at(json, member)));
    },
    { since: '1.0.0' },
  ),
  buckets(
    'STORE-232',
    'a list has the settings and the times of each bucket',
    async ({ name, service }) => {
      const body = { public: true, file_size_limit: 1000, allowed_mime_types: ['image/png'] };
      assertStatus(await service.send('PUT', `/bucket/${name}`, { body }), 200);
      const { json } = await service.send('GET', '/bucket');
      const entry = Array.isArray(json) ? json.find((one) => at(one, 'id') === name) : undefined;
      const members = ['name', 'owner', 'public', 'file_size_limit', 'allowed_mime_types'];
      assert.deepEqual(
        members.map((member) => at(entry, member)),
        [name, '', true, 1000, ['image/png']],
        'the members of the entry',
      );
      for (const member of ['created_at', 'updated_at'])
        assert.ok(isNow(at(entry, member)), `${member} is now`, String(at(entry, member)));
    },
    { since: '1.0.0' },
  ),
  buckets(
    'STORE-233',
    'a search finds any part of a name, and the name rather than the id',
    async ({ service }, { run }) => {
      const [id, name] = [run.newName(), run.newName()];
      assertStatus(await service.send('POST', '/bucket', { body: { id, name } }), 200);
      const search = async (text: string) =>
        namesOf((await service.send('GET', '/bucket', { query: { search: text } })).json);
      const found = [await search(name.slice(3)), await search(name.slice(0, -1)), await search(id)];
      await service.send('DELETE', `/bucket/${id}`);
      assert.deepEqual(found, [[name], [name], []], 'the names that are found');
    },
    { since: '1.0.0' },
  ),
  buckets(
    'STORE-234',
    'a bucket has no higher limit than the service, and may have the same',
    async ({ name, service }) => {
      const maxBytes = await maxBytesOf(service);
      const limit = (file_size_limit: number) =>
        service.send('PUT', `/bucket/${name}`, { body: { file_size_limit } });
      assertRefusal(await limit(maxBytes + 1), 413, 'EntityTooLarge');
      assertStatus(await limit(maxBytes), 200);
    },
    { since: '1.0.0' },
  ),
  buckets(
    'STORE-235',
    'a bucket that is created again under the name of a deleted one is empty and has no settings of it',
    async ({ name, service, upload }) => {
      const body = { public: true, file_size_limit: 1000, allowed_mime_types: ['text/plain'] };
      assertStatus(await service.send('PUT', `/bucket/${name}`, { body }), 200);
      assertStatus(await upload('a.txt', 'a'), 200);
      await service.send('DELETE', `/object/${name}/a.txt`);
      assertStatus(await service.send('DELETE', `/bucket/${name}`), 200);
      assertStatus(await service.send('POST', '/bucket', { body: { name } }), 200);
      const { json } = await service.send('GET', `/bucket/${name}`);
      const members = ['public', 'file_size_limit', 'allowed_mime_types'];
      assert.deepEqual(
        members.map((member) => at(json, member)),
        [false, null, null],
        'the settings',
      );
    },
    { since: '1.0.0' },
  ),
  buckets('STORE-212', 'a search matches wildcard characters literally', async ({ service }) => {
    const listed = await service.send('GET', '/bucket', { query: { search: '%' } });
    assert.deepEqual(listed.json, [], 'the list');
  }),
];

const ofNames: readonly Audit[] = [
  names(
    'STORE-213',
    'names that a URL or a path would change are refused as InvalidBucketName',
    async ({ service }) => {
      for (const name of REFUSED_NAMES)
        assertRefusal(await service.send('POST', '/bucket', { body: { name } }), 400, 'InvalidBucketName');
    },
  ),
  names(
    'STORE-214',
    'bucket names allow the characters of object names, except the slash',
    async ({ name, service }) => {
      const odd = `${name}${TAKEN_CHARACTERS}`.padEnd(100, 'x');
      assertStatus(await service.send('POST', '/bucket', { body: { name: odd } }), 200);
      const path = `/bucket/${encodeURIComponent(odd)}`;
      assert.equal(at((await service.send('GET', path)).json, 'id'), odd, 'the id');
      assertStatus(await service.send('DELETE', path), 200);
    },
  ),
  names(
    'STORE-215',
    'a route with an invalid bucket name is refused as InvalidBucketName',
    async ({ service }) => {
      const headers = { 'Content-Type': 'text/plain' };
      assertRefusal(
        await service.send('POST', '/object/a%23b/c', { body: 'x', headers }),
        400,
        'InvalidBucketName',
      );
    },
  ),
];

const schemas: readonly Audit[] = [
  bodies('STORE-216', 'the error of a body without a required member names it', async ({ service }) => {
    assertInvalid(
      await service.send('POST', '/bucket', { body: {} }),
      "body must have required property 'name'",
    );
  }),
  bodies('STORE-217', 'a body that is not an object is refused', async ({ service }) => {
    for (const body of ['null', '5', '"x"', '[]'])
      assertInvalid(await service.send('POST', '/bucket', { body }), 'body must be object');
  }),
  bodies('STORE-218', 'a body of another type than JSON is ignored', async ({ service }) => {
    const headers = { 'Content-Type': 'text/plain' };
    assertInvalid(
      await service.send('POST', '/bucket', { body: '{"name":"x"}', headers }),
      'body must be object',
    );
  }),
  bodies('STORE-219', 'broken JSON is refused', async ({ service }) => {
    assertUnreadable(await service.send('POST', '/bucket', { body: '{' }), NOT_JSON);
  }),
  bodies('STORE-220', 'a member of another type is refused with its path', async ({ name, service }) => {
    assertInvalid(
      await service.send('PUT', `/bucket/${name}`, { body: { public: 'maybe' } }),
      'body/public must be boolean',
    );
  }),
  bodies(
    'STORE-221',
    'an invalid list of media types does not affect later requests',
    async ({ name, service }) => {
      const body = { allowed_mime_types: false };
      assertRefusal(await service.send('PUT', `/bucket/${name}`, { body }), 415, 'InvalidMimeType');
      assertStatus(await service.send('GET', `/bucket/${name}`), 200);
    },
  ),
  bodies('STORE-222', 'an update without settings is refused', async ({ name, service }) => {
    assertRefusal(await service.send('PUT', `/bucket/${name}`, { body: { id: 'x' } }), 400, 'InvalidRequest');
  }),
  bodies('STORE-223', 'a query that violates the schema is refused', async ({ service }) => {
    assertInvalid(
      await service.send('GET', '/bucket', { query: { limit: 'x' } }),
      'querystring/limit must be integer',
    );
    assertInvalid(
      await service.send('GET', '/bucket', { query: { sortColumn: 'owner' } }),
      'querystring/sortColumn must be equal to one of the allowed values',
    );
  }),
  bodies(
    'STORE-236',
    'a list of buckets needs a positive limit, no negative offset and a known order',
    async ({ service }) => {
      const list = (query: Readonly<Record<string, string>>) => service.send('GET', '/bucket', { query });
      assertInvalid(await list({ limit: '0' }), 'querystring/limit must be >= 1');
      assertInvalid(await list({ offset: '-1' }), 'querystring/offset must be >= 0');
      assertInvalid(
        await list({ sortOrder: 'down' }),
        'querystring/sortOrder must be equal to one of the allowed values',
      );
      assertStatus(await list({ limit: '1', offset: '0' }), 200);
    },
    { since: '1.0.0' },
  ),
  bodies(
    'STORE-241',
    'a body with the member __proto__ is refused',
    async ({ name, service }) => {
      const body = '{"public":true,"__proto__":{"public":true}}';
      assertUnreadable(await service.send('PUT', `/bucket/${name}`, { body }), NOT_JSON);
      const { json } = await service.send('GET', `/bucket/${name}`);
      assert.equal(at(json, 'public'), false, 'public of the bucket');
    },
    { since: '1.0.0' },
  ),
  bodies(
    'STORE-250',
    'a setting of a bucket is converted to its type',
    async ({ name, service }) => {
      for (const [setting, given, stored] of CONVERTED) {
        assertStatus(await service.send('PUT', `/bucket/${name}`, { body: { [setting]: given } }), 200);
        const { json } = await service.send('GET', `/bucket/${name}`);
        assert.deepEqual(at(json, setting), stored, `${setting} after ${JSON.stringify(given)}`);
      }
    },
    { since: '1.0.0' },
  ),
  bodies(
    'STORE-251',
    'a single value of another type is converted where a text, a number or a list is expected',
    async ({ name, service, upload }) => {
      for (const path of ['1', '2']) await upload(path, path);
      const post = (path: string, body: object) => service.send('POST', `/object/${path}`, { body });
      for (const body of [
        { prefix: false, limit: '1' },
        { prefix: '', limit: true },
        { prefix: [''], limit: 1 },
      ])
        assert.deepEqual(
          namesOf((await post(`list/${name}`, body)).json),
          body.prefix === false ? [] : ['1'],
          `the names of ${JSON.stringify(body)}`,
        );
      assert.deepEqual(
        namesOf((await post(`list/${name}`, { prefix: null, search: 2, offset: '0' })).json),
        ['2'],
        'the names of the search',
      );
      const page = await post(`list-v2/${name}`, { limit: '1', with_delimiter: 'true' });
      assert.deepEqual(
        [namesOf(at(page.json, 'objects')), at(page.json, 'hasNext'), at(page.json, 'objects', 0, 'key')],
        [['1'], true, '1'],
        'the names, hasNext and the key of the page',
      );
      const signed = await post(`sign/${name}`, { expiresIn: '60', paths: 1 });
      assert.equal(at(signed.json, 0, 'error'), null, 'the error of the signed path');
      const copied = await post('copy', {
        bucketId: [name],
        sourceKey: 1,
        destinationKey: 3,
        copyMetadata: 0,
      });
      assert.equal(at(copied.json, 'Key'), `${name}/3`, 'Key of the copy');
      const removed = await service.send('DELETE', `/object/${name}`, { body: { prefixes: 3 } });
      assert.deepEqual(namesOf(removed.json), ['3'], 'the removed names');
    },
    { since: '1.0.0' },
  ),
  buckets(
    'STORE-252',
    'a list of buckets has no type for Python clients that refuse it',
    async ({ name, service }) => {
      const typeFor = async (headers: Readonly<Record<string, string>>) =>
        at((await service.send('GET', '/bucket', { query: { search: name }, headers })).json, 0, 'type');
      const types = await Promise.all(
        [...PYTHON_VERSIONS.keys()].map((version) => typeFor({ 'X-Client-Info': `supabase-py/${version}` })),
      );
      assert.deepEqual(types, [...PYTHON_VERSIONS.values()], 'the types by the version of the client');
      const agents = await Promise.all(
        [...AGENT_VERSIONS.keys()].map((version) =>
          typeFor({ 'User-Agent': `supabase-py/storage3 v${version}` }),
        ),
      );
      assert.deepEqual(agents, [...AGENT_VERSIONS.values()], 'the types by the version of the agent');
    },
    { since: '1.0.0' },
  ),
  buckets(
    'STORE-253',
    'an empty id is the name, and a limit of bytes has no fraction',
    async ({ service }, { run }) => {
      const name = run.newName();
      assertStatus(await service.send('POST', '/bucket', { body: { name, id: '', type: 'STANDARD' } }), 200);
      const limited = await service.send('PUT', `/bucket/${name}`, { body: { file_size_limit: '1.5b' } });
      const read = await service.send('GET', `/bucket/${name}`);
      assertStatus(await service.send('DELETE', `/bucket/${name}`), 200);
      assert.deepEqual([at(read.json, 'id'), at(read.json, 'file_size_limit')], [name, null], 'id and limit');
      assertRefused(limited, 400, 'InvalidParameter', 'invalid input syntax for type bigint: "1.5"');
    },
    { since: '1.0.0' },
  ),
  buckets(
    'STORE-254',
    'a media type of a bucket has at most 1,000 characters, and may have a charset or a wildcard',
    async ({ name, service }) => {
      const put = (...allowed_mime_types: readonly string[]) =>
        service.send('PUT', `/bucket/${name}`, { body: { allowed_mime_types } });
      assertStatus(
        await put('*', '*/*', 'text/plain;charset=utf-8', 'a.b+c-1/D', 'a/'.padEnd(1000, 'b')),
        200,
      );
      for (const wrong of ['a/'.padEnd(1001, 'b'), 'a b/c', 'a/b c', 'text/plain; charset=utf-8; x=y', '/b'])
        assertRefused(
          await put('a/b', wrong),
          415,
          'InvalidMimeType',
          `mime type ${wrong} is not supported`,
          {
            error: 'invalid_mime_type',
          },
        );
    },
    { since: '1.0.0' },
  ),
  bodies('STORE-224', 'an unknown route is 404 with the code InvalidRequest', async ({ service }) => {
    assertRefusal(await service.send('PATCH', '/bucket/x'), 404, 'InvalidRequest', 404);
  }),
];

/** Buckets, their names, and how the service parses bodies. */
export const storageBucketAudits: readonly Audit[] = [...settings, ...ofNames, ...schemas];
