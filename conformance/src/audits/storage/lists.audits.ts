import { assert } from '../../target/assertion.ts';
import type { Audit } from '../../audit/audit.ts';
import { assertStatus, at, textAt } from '../../target/wire.ts';
import type { ServerBucket } from '../../audit/bucket.ts';
import { assertInvalid, assertRefusal, bucketAudits, namesOf } from './storage-audit.ts';

const lists = bucketAudits('lists');

const list = ({ name, service }: ServerBucket, body: unknown) =>
  service.send('POST', `/object/list/${name}`, { body });
const listV2 = ({ name, service }: ServerBucket, body: unknown) =>
  service.send('POST', `/object/list-v2/${name}`, { body });
async function fill({ upload }: ServerBucket, paths: readonly string[]): Promise<void> {
  for (const path of paths) assertStatus(await upload(path, path), 200);
}
const TREE = ['b.txt', 'A.txt', 'docs/1.txt', 'docs/old/2.txt', 'docs/old/3.txt', 'z.txt'];

/** Both versions of the list endpoint. */
export const storageListAudits: readonly Audit[] = [
  lists(
    'STORE-501',
    'a list has folders and objects in one order, without regard to case',
    async (bucket) => {
      await fill(bucket, TREE);
      const { json } = await list(bucket, { prefix: '' });
      assert.deepEqual(namesOf(json), ['A.txt', 'b.txt', 'docs', 'z.txt'], 'the names');
      assert.equal(at(json, 2, 'id'), null, 'the id of the folder');
    },
  ),
  lists('STORE-502', 'a folder is listed with or without its closing slash', async (bucket) => {
    await fill(bucket, TREE);
    for (const prefix of ['docs', 'docs/'])
      assert.deepEqual(
        namesOf((await list(bucket, { prefix })).json),
        ['1.txt', 'old'],
        `the names of ${prefix}`,
      );
  }),
  lists('STORE-503', 'a search matches the beginning of names, in any case', async (bucket) => {
    await fill(bucket, TREE);
    assert.deepEqual(namesOf((await list(bucket, { prefix: '', search: 'DO' })).json), ['docs'], 'the names');
    assert.deepEqual(
      (await list(bucket, { prefix: '', search: 'ocs' })).json,
      [],
      'the list of an inner part',
    );
  }),
  lists('STORE-504', 'a list is restricted by limit and offset', async (bucket) => {
    await fill(bucket, TREE);
    const { json } = await list(bucket, { prefix: '', limit: 2, offset: 1 });
    assert.deepEqual(namesOf(json), ['b.txt', 'docs'], 'the names');
  }),
  lists('STORE-505', 'ordered by time, folders come first', async (bucket) => {
    await fill(bucket, ['b.txt', 'a/1.txt', 'c.txt']);
    const { json } = await list(bucket, { prefix: '', sortBy: { column: 'created_at', order: 'desc' } });
    assert.deepEqual(namesOf(json), ['a', 'c.txt', 'b.txt'], 'the names');
  }),
  lists('STORE-506', 'a list needs a prefix, a positive limit and a known column', async (bucket) => {
    assertInvalid(await list(bucket, {}), "body must have required property 'prefix'");
    assertInvalid(await list(bucket, { prefix: '', limit: 0 }), 'body/limit must be >= 1');
    assertInvalid(
      await list(bucket, { prefix: '', sortBy: { column: 'size' } }),
      'body/sortBy/column must be equal to one of the allowed values',
    );
  }),
  lists('STORE-507', 'a missing bucket has an empty list', async ({ name, service }) => {
    const listed = await service.send('POST', `/object/list/${name}-none`, { body: { prefix: '' } });
    assertStatus(listed, 200);
    assert.deepEqual(listed.json, [], 'the list');
  }),
  lists('STORE-508', 'version 2 lists every object below a prefix, by bytes', async (bucket) => {
    await fill(bucket, TREE);
    const { json } = await listV2(bucket, { prefix: '' });
    assert.deepEqual(
      namesOf(at(json, 'objects')),
      ['A.txt', 'b.txt', 'docs/1.txt', 'docs/old/2.txt', 'docs/old/3.txt', 'z.txt'],
      'the names',
    );
    assert.equal(at(json, 'hasNext'), false, 'hasNext');
  }),
  lists('STORE-509', 'version 2 groups by folders, whose names end in a slash', async (bucket) => {
    await fill(bucket, TREE);
    const { json } = await listV2(bucket, { prefix: 'docs/', with_delimiter: true });
    assert.deepEqual(
      [namesOf(at(json, 'folders')), namesOf(at(json, 'objects')), at(json, 'folders', 0, 'key')],
      [['docs/old/'], ['docs/1.txt'], 'old'],
      'the folders, the objects and the key of the folder',
    );
  }),
  lists('STORE-510', 'the cursors of version 2 return every object once', async (bucket) => {
    await fill(bucket, TREE);
    const found: unknown[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < 3; page += 1) {
      const listed = await listV2(bucket, { prefix: '', limit: 2, ...(cursor !== undefined && { cursor }) });
      found.push(...namesOf(at(listed.json, 'objects')));
      if (at(listed.json, 'hasNext') === true) cursor = textAt(listed, 'nextCursor');
    }
    assert.deepEqual(
      found,
      ['A.txt', 'b.txt', 'docs/1.txt', 'docs/old/2.txt', 'docs/old/3.txt', 'z.txt'],
      'the names',
    );
  }),
  lists('STORE-511', 'an invalid cursor is refused', async (bucket) => {
    assertRefusal(await listV2(bucket, { cursor: 'nonsense' }), 400, 'InvalidParameter');
  }),
];
