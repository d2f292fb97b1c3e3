import { assert } from '../../target/assertion.ts';
import type { Audit } from '../../audit/audit.ts';
import { assertStatus, at, textAt } from '../../target/wire.ts';
import { withBucket, type ServerBucket } from '../../audit/bucket.ts';
import {
  assertInvalid,
  assertRefusal,
  base64,
  bucketAudits,
  infoOf,
  namesOf,
  textOf,
} from './storage-audit.ts';

const changes = bucketAudits('removal-and-transfers');

const remove = ({ name, service }: ServerBucket, prefixes: unknown) =>
  service.send('DELETE', `/object/${name}`, { body: { prefixes } });
const transfer = (
  { name, service }: ServerBucket,
  kind: 'copy' | 'move',
  [sourceKey, destinationKey]: readonly [string, string],
  rest: object = {},
  headers: Readonly<Record<string, string>> = {},
) =>
  service.send('POST', `/object/${kind}`, {
    body: { bucketId: name, sourceKey, destinationKey, ...rest },
    headers,
  });

export const storageChangeAudits: readonly Audit[] = [
  changes('STORE-601', 'a removal ignores names without an object', async (bucket) => {
    await bucket.upload('a.txt', 'a');
    const removed = await remove(bucket, ['none', 'a#b', 'a.txt']);
    assertStatus(removed, 200);
    assert.deepEqual(namesOf(removed.json), ['a.txt'], 'the names');
  }),
  changes('STORE-602', 'a removal does not match prefixes: objects below a name stay', async (bucket) => {
    await bucket.upload('f/a.txt', 'a');
    assert.deepEqual((await remove(bucket, ['f', 'f/'])).json, [], 'the removed objects');
    assert.equal(await textOf(bucket, 'f/a.txt'), 'a', 'the text');
  }),
  changes('STORE-603', 'a removal without names is refused', async (bucket) => {
    assertInvalid(await remove(bucket, []), 'body/prefixes must NOT have fewer than 1 items');
    assertInvalid(
      await bucket.service.send('DELETE', `/object/${bucket.name}`, { body: {} }),
      "body must have required property 'prefixes'",
    );
  }),
  changes('STORE-604', 'one object is removed by its path', async (bucket) => {
    await bucket.upload('a.txt', 'a');
    const path = `/object/${bucket.name}/a.txt`;
    assertStatus(await bucket.service.send('DELETE', path), 200);
    assertRefusal(await bucket.service.send('DELETE', path), 404, 'NoSuchKey');
  }),
  changes('STORE-605', 'a copy has the bytes, the type and the metadata of its source', async (bucket) => {
    await bucket.upload('a.txt', 'a', { 'Cache-Control': 'max-age=9', 'x-metadata': base64({ k: 1 }) });
    const copied = await transfer(bucket, 'copy', ['a.txt', 'b.txt']);
    assertStatus(copied, 200);
    assert.equal(at(copied.json, 'Key'), `${bucket.name}/b.txt`, 'Key of the copy');
    const info = await infoOf(bucket, 'b.txt');
    assert.deepEqual(
      [
        at(info, 'content_type'),
        at(info, 'cache_control'),
        at(info, 'metadata'),
        await textOf(bucket, 'b.txt'),
      ],
      ['text/plain', 'max-age=9', { k: 1 }, 'a'],
      'the description and the text',
    );
  }),
  changes('STORE-606', 'a copy without its metadata has those of the request', async (bucket) => {
    await bucket.upload('a.txt', 'a', { 'x-metadata': base64({ k: 1 }) });
    const rest = { copyMetadata: false, metadata: { mimetype: 'text/css', cacheControl: 'max-age=1' } };
    const sent = await transfer(bucket, 'copy', ['a.txt', 'b.css'], rest, {
      'x-metadata': base64({ own: 2 }),
    });
    assertStatus(sent, 200);
    const info = await infoOf(bucket, 'b.css');
    assert.deepEqual(
      [at(info, 'content_type'), at(info, 'cache_control'), at(info, 'metadata')],
      ['text/css', 'max-age=1', { own: 2 }],
      'the description',
    );
  }),
  changes('STORE-607', 'a copy replaces only with x-upsert', async (bucket) => {
    await bucket.upload('a.txt', 'a');
    await bucket.upload('b.txt', 'b');
    assertRefusal(await transfer(bucket, 'copy', ['a.txt', 'b.txt']), 409, 'KeyAlreadyExists');
    assertStatus(await transfer(bucket, 'copy', ['a.txt', 'b.txt'], {}, { 'x-upsert': 'true' }), 200);
    assert.equal(await textOf(bucket, 'b.txt'), 'a', 'the text');
  }),
  changes('STORE-608', 'a move keeps the id of the object and frees its name', async (bucket) => {
    await bucket.upload('a.txt', 'a');
    const id = at(await infoOf(bucket, 'a.txt'), 'id');
    const moved = await transfer(bucket, 'move', ['a.txt', 'f/b.txt']);
    assertStatus(moved, 200);
    assert.equal(at(moved.json, 'message'), 'Successfully moved', 'the message');
    assert.equal(at(await infoOf(bucket, 'f/b.txt'), 'id'), id, 'the id');
    assertRefusal(await bucket.service.send('GET', `/object/${bucket.name}/a.txt`), 404, 'NoSuchKey');
  }),
  changes('STORE-609', 'a move does not replace an object, even with x-upsert', async (bucket) => {
    await bucket.upload('a.txt', 'a');
    await bucket.upload('b.txt', 'b');
    const moved = await transfer(bucket, 'move', ['a.txt', 'b.txt'], {}, { 'x-upsert': 'true' });
    assertRefusal(moved, 409, 'ResourceAlreadyExists');
    assert.equal(await textOf(bucket, 'b.txt'), 'b', 'the text');
  }),
  changes('STORE-610', 'a source that does not exist is NoSuchKey', async (bucket) => {
    for (const kind of ['copy', 'move'] as const)
      assertRefusal(await transfer(bucket, kind, ['none', 'b.txt']), 404, 'NoSuchKey');
  }),
  changes('STORE-611', 'an invalid destination name is InvalidKey', async (bucket) => {
    await bucket.upload('a.txt', 'a');
    for (const kind of ['copy', 'move'] as const)
      assertRefusal(await transfer(bucket, kind, ['a.txt', 'a#b']), 400, 'InvalidKey');
  }),
  changes('STORE-612', 'a missing destination bucket is refused with 404', async (bucket) => {
    await bucket.upload('a.txt', 'a');
    const rest = { destinationBucket: `${bucket.name}-none` };
    assertRefusal(await transfer(bucket, 'copy', ['a.txt', 'b.txt'], rest), 404, 'InvalidRequest');
  }),
  changes(
    'STORE-613',
    'an object is copied and moved to another bucket, with its type and its metadata',
    (bucket, context) =>
      withBucket(context, false, async (other) => {
        const headers = { 'Content-Type': 'text/css', 'Cache-Control': 'max-age=9' };
        await bucket.upload('a.css', 'a', { ...headers, 'x-metadata': base64({ k: 1 }) });
        const rest = { destinationBucket: other.name };
        const copied = await transfer(bucket, 'copy', ['a.css', 'b.css'], rest);
        assert.equal(at(copied.json, 'Key'), `${other.name}/b.css`, 'Key of the copy');
        assertStatus(await transfer(bucket, 'move', ['a.css', 'c.css'], rest), 200);
        for (const path of ['b.css', 'c.css']) {
          const info = await infoOf(other, path);
          assert.deepEqual(
            [
              ...['content_type', 'cache_control', 'metadata', 'bucket_id'].map((member) => at(info, member)),
              await textOf(other, path),
            ],
            ['text/css', 'max-age=9', { k: 1 }, other.name, 'a'],
            `the description and the text of ${path}`,
          );
        }
        const list = await bucket.service.send('POST', `/object/list/${bucket.name}`, {
          body: { prefix: '' },
        });
        assert.deepEqual(list.json, [], 'the list of the first bucket');
      }),
    { since: '1.0.0' },
  ),
  changes(
    'STORE-614',
    'a copy is a new object, whose row is in the response',
    async (bucket) => {
      const id = textAt(await bucket.upload('a.txt', 'abc'), 'Id');
      const copied = await transfer(bucket, 'copy', ['a.txt', 'b.txt']);
      assert.notEqual(textAt(copied, 'Id'), id, 'the id of the copy');
      assert.deepEqual(
        [
          ...['name', 'bucket_id', 'id'].map((member) => at(copied.json, member)),
          at(copied.json, 'metadata', 'size'),
        ],
        ['b.txt', bucket.name, at(copied.json, 'Id'), 3],
        'the row',
      );
    },
    { since: '1.0.0' },
  ),
  changes(
    'STORE-615',
    'a copy without its metadata keeps the type or the cache control that the request does not name',
    async (bucket) => {
      await bucket.upload('a.txt', 'a', { 'Cache-Control': 'max-age=9' });
      const rest = { copyMetadata: false, metadata: { mimetype: 'text/css' } };
      assertStatus(await transfer(bucket, 'copy', ['a.txt', 'b.css'], rest), 200);
      const info = await infoOf(bucket, 'b.css');
      assert.deepEqual(
        [at(info, 'content_type'), at(info, 'cache_control')],
        ['text/css', 'max-age=9'],
        'the type and the cache control',
      );
    },
    { since: '1.0.0' },
  ),
  changes(
    'STORE-616',
    'a transfer needs its bucket, its source and its destination',
    async ({ name, service }) => {
      const members = { bucketId: name, sourceKey: 'a', destinationKey: 'b' };
      for (const kind of ['copy', 'move'])
        for (const missing of Object.keys(members))
          assertInvalid(
            await service.send('POST', `/object/${kind}`, { body: { ...members, [missing]: undefined } }),
            `body must have required property '${missing}'`,
          );
    },
    { since: '1.0.0' },
  ),
  changes(
    'STORE-617',
    'a removal returns the row of each removed object',
    async (bucket) => {
      const id = textAt(await bucket.upload('f/a.txt', 'abc'), 'Id');
      await bucket.upload('b.txt', 'b');
      const { json } = await remove(bucket, ['b.txt', 'f/a.txt']);
      const rows = json as readonly unknown[];
      assert.equal(rows.length, 2, 'the number of rows');
      const row = rows.find((one) => at(one, 'name') === 'f/a.txt');
      assert.deepEqual(
        [at(row, 'id'), at(row, 'bucket_id'), at(row, 'metadata', 'size')],
        [id, bucket.name, 3],
        'the members of the row',
      );
    },
    { since: '1.0.0' },
  ),
  changes(
    'STORE-618',
    'a moved object keeps its description and the time of its creation',
    async (bucket) => {
      const headers = { 'Content-Type': 'text/css', 'Cache-Control': 'max-age=9' };
      await bucket.upload('a.css', 'abc', { ...headers, 'x-metadata': base64({ k: 1 }) });
      const before = await infoOf(bucket, 'a.css');
      assertStatus(await transfer(bucket, 'move', ['a.css', 'f/b.css']), 200);
      const after = await infoOf(bucket, 'f/b.css');
      const kept = [
        'id',
        'bucket_id',
        'size',
        'content_type',
        'cache_control',
        'etag',
        'metadata',
        'created_at',
      ];
      assert.deepEqual(
        kept.map((member) => at(after, member)),
        kept.map((member) => at(before, member)),
        kept.join(', '),
      );
      assert.equal(at(after, 'name'), 'f/b.css', 'the name');
      assert.equal(await textOf(bucket, 'f/b.css'), 'abc', 'the text');
    },
    { since: '1.0.0' },
  ),
  changes(
    'STORE-619',
    'a copy stays when its source is replaced or removed',
    async (bucket) => {
      await bucket.upload('a.txt', 'old', { 'X-Robots-Tag': 'noindex' });
      await transfer(bucket, 'copy', ['a.txt', 'b.txt']);
      await bucket.upload('a.txt', 'new', { 'x-upsert': 'true' });
      assert.equal(await textOf(bucket, 'b.txt'), 'old', 'the text after the replacement');
      assertStatus(await bucket.service.send('DELETE', `/object/${bucket.name}/a.txt`), 200);
      const copy = await bucket.service.send('GET', `/object/${bucket.name}/b.txt`);
      assert.deepEqual(
        [copy.text, copy.headers.get('x-robots-tag')],
        ['old', 'noindex'],
        'the text and the header x-robots-tag after the removal',
      );
    },
    { since: '1.0.0' },
  ),
  changes(
    'STORE-620',
    'a copy onto an object keeps its id, and nothing else of it',
    async (bucket) => {
      await bucket.upload('a.css', 'abc', { 'Content-Type': 'text/css', 'x-metadata': base64({ k: 1 }) });
      const id = textAt(await bucket.upload('b.txt', 'b', { 'x-metadata': base64({ old: 1 }) }), 'Id');
      const upsert = { 'x-upsert': 'true' };
      const copied = await transfer(bucket, 'copy', ['a.css', 'b.txt'], {}, upsert);
      assert.equal(textAt(copied, 'Id'), id, 'Id of the copy');
      const info = await infoOf(bucket, 'b.txt');
      assert.deepEqual(
        ['id', 'content_type', 'size', 'metadata'].map((member) => at(info, member)),
        [id, 'text/css', 3, { k: 1 }],
        'id, content_type, size and metadata',
      );
    },
    { since: '1.0.0' },
  ),
  changes(
    'STORE-621',
    'a removal removes from its own bucket alone',
    (bucket, context) =>
      withBucket(context, false, async (other) => {
        for (const { upload } of [bucket, other]) for (const path of ['a', 'b']) await upload(path, path);
        assert.deepEqual(namesOf((await remove(bucket, ['a'])).json), ['a'], 'the removed names');
        assertStatus(await bucket.service.send('DELETE', `/object/${bucket.name}/b`), 200);
        for (const path of ['a', 'b']) assert.equal(await textOf(other, path), path, `the text of ${path}`);
      }),
    { since: '1.0.0' },
  ),
  changes(
    'STORE-622',
    'the removal of one object says so, and its name is free again',
    async (bucket) => {
      const id = textAt(await bucket.upload('a.txt', 'a', { 'x-metadata': base64({ k: 1 }) }), 'Id');
      const removed = await bucket.service.send('DELETE', `/object/${bucket.name}/a.txt`);
      assert.deepEqual(removed.json, { message: 'Successfully deleted' }, 'the response');
      assert.notEqual(textAt(await bucket.upload('a.txt', 'b'), 'Id'), id, 'the id of the new object');
      assert.deepEqual(at(await infoOf(bucket, 'a.txt'), 'metadata'), {}, 'the metadata of the new object');
    },
    { since: '1.0.0' },
  ),
  changes(
    'STORE-623',
    'a copy has the ETag of its source and its own times',
    async (bucket) => {
      await bucket.upload('a.txt', 'abc');
      await transfer(bucket, 'copy', ['a.txt', 'b.txt']);
      const [source, copy] = [await infoOf(bucket, 'a.txt'), await infoOf(bucket, 'b.txt')];
      assert.equal(at(copy, 'etag'), at(source, 'etag'), 'etag of the copy');
      assert.ok(
        Date.parse(String(at(copy, 'created_at'))) > Date.parse(String(at(source, 'created_at'))),
        'the copy was created later',
        `${String(at(copy, 'created_at'))} after ${String(at(source, 'created_at'))}`,
      );
      assert.notEqual(at(copy, 'version'), at(source, 'version'), 'version of the copy');
    },
    { since: '1.0.0' },
  ),
  changes(
    'STORE-624',
    'a removal with a name that is no text is refused and removes nothing',
    async (bucket) => {
      await bucket.upload('a.txt', 'a');
      for (const name of [{}, ['b', 'c']])
        assertRefusal(await remove(bucket, ['a.txt', name]), 400, 'InvalidRequest');
      assert.equal(await textOf(bucket, 'a.txt'), 'a', 'the text');
    },
    { since: '1.0.0' },
  ),
  changes(
    'STORE-627',
    'a removal from a bucket that does not exist finds no object',
    async ({ service }, { run }) => {
      const bucket = run.newName();
      assertRefusal(await service.send('DELETE', `/object/${bucket}/a`), 404, 'NoSuchKey');
      const removed = await service.send('DELETE', `/object/${bucket}`, { body: { prefixes: ['a'] } });
      assert.deepEqual([removed.status, removed.json], [200, []], 'the status and the removed objects');
    },
    { since: '1.0.0' },
  ),
  changes(
    'STORE-628',
    'a copy with an empty cache control has none in its description, and no-cache as it is read',
    async (bucket) => {
      const { name, service, upload } = bucket;
      await upload('a.txt', 'a', { 'Cache-Control': 'max-age=9' });
      const own = { copyMetadata: false, metadata: { cacheControl: '' } };
      assertStatus(await transfer(bucket, 'copy', ['a.txt', 'b.txt'], own), 200);
      const info = await service.send('GET', `/object/info/${name}/b.txt`);
      const read = await service.send('GET', `/object/${name}/b.txt`);
      assert.deepEqual(
        [info, read].map(({ headers }) => headers.get('cache-control')),
        [null, 'no-cache'],
        'the headers cache-control of the description and of the object',
      );
    },
    { since: '1.0.0' },
  ),
];
