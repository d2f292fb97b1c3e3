import { assert } from '../../target/assertion.ts';
import type { Audit } from '../../audit/audit.ts';
import { assertStatus, at, textAt } from '../../target/wire.ts';
import type { ServerBucket } from '../../audit/bucket.ts';
import { assertInvalid, assertRefusal, bucketAudits, isNow, namesOf } from './storage-audit.ts';

const lists = bucketAudits('lists');

const list = ({ name, service }: ServerBucket, body: unknown) =>
  service.send('POST', `/object/list/${name}`, { body });
const listV2 = ({ name, service }: ServerBucket, body: unknown) =>
  service.send('POST', `/object/list-v2/${name}`, { body });
async function fill({ upload }: ServerBucket, paths: readonly string[]): Promise<void> {
  for (const path of paths) assertStatus(await upload(path, path), 200);
}
const TREE = ['b.txt', 'A.txt', 'docs/1.txt', 'docs/old/2.txt', 'docs/old/3.txt', 'z.txt'];

/** The names on all pages of version 2, at most ten. */
async function readPages(bucket: ServerBucket, body: object): Promise<readonly unknown[]> {
  const names: unknown[] = [];
  let page = await listV2(bucket, body);
  for (let pages = 1; pages <= 10; pages += 1) {
    names.push(...namesOf(at(page.json, 'objects')));
    if (at(page.json, 'hasNext') !== true) break;
    page = await listV2(bucket, { ...body, cursor: textAt(page, 'nextCursor') });
  }
  return names;
}

/** The names by each time, where `b` was stored first and has been replaced last. */
const timeOrders = [
  [{ column: 'updated_at', order: 'asc' }, 'acdb'],
  [{ column: 'updated_at', order: 'desc' }, 'bdca'],
  [{ column: 'created_at', order: 'asc' }, 'bacd'],
  [{ column: 'created_at', order: 'desc' }, 'dcab'],
] as const;

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
    assert.deepEqual(
      namesOf((await list(bucket, { prefix: 'docs', search: 'O' })).json),
      ['old'],
      'the names in the folder',
    );
  }),
  lists('STORE-504', 'a list is restricted by limit and offset', async (bucket) => {
    await fill(bucket, TREE);
    const { json } = await list(bucket, { prefix: '', limit: 2, offset: 1 });
    assert.deepEqual(namesOf(json), ['b.txt', 'docs'], 'the names');
    assert.deepEqual(
      (await list(bucket, { prefix: '', offset: 4 })).json,
      [],
      'the list after the last entry',
    );
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
    const page = await service.send('POST', `/object/list-v2/${name}-none`, { body: {} });
    assert.deepEqual(page.json, { hasNext: false, folders: [], objects: [] }, 'the page of version 2');
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
  lists(
    'STORE-512',
    'an entry has the times, the size and the type of its object, and a folder nulls',
    async (bucket) => {
      await fill(bucket, ['a.txt', 'f/1.txt']);
      const { json } = await list(bucket, { prefix: '' });
      const [object, folder] = json as readonly unknown[];
      for (const member of ['id', 'created_at', 'updated_at', 'last_accessed_at'])
        assert.deepEqual([typeof at(object, member), at(folder, member)], ['string', null], member);
      assert.deepEqual(
        ['size', 'mimetype', 'cacheControl'].map((member) => at(object, 'metadata', member)),
        [5, 'text/plain', 'no-cache'],
        'the metadata of the object',
      );
      assert.equal(at(folder, 'metadata'), null, 'the metadata of the folder');
    },
    { since: '1.0.0' },
  ),
  lists(
    'STORE-513',
    'a list is ordered by name and by each time, in both directions',
    async (bucket) => {
      await fill(bucket, ['b', 'a', 'c']);
      const orders = [
        [{ column: 'name' }, 'abc'],
        [{ column: 'name', order: 'desc' }, 'cba'],
        [{ column: 'created_at' }, 'bac'],
        [{ column: 'updated_at', order: 'desc' }, 'cab'],
        [{ column: 'last_accessed_at', order: 'asc' }, 'bac'],
      ] as const;
      for (const [sortBy, names] of orders)
        assert.equal(
          namesOf((await list(bucket, { prefix: '', sortBy })).json).join(''),
          names,
          `the names by ${sortBy.column}`,
        );
    },
    { since: '1.0.0' },
  ),
  lists(
    'STORE-514',
    'version 2 matches any beginning of a key, in its own case',
    async (bucket) => {
      await fill(bucket, TREE);
      const pages = [
        [{ prefix: 'docs/o' }, [], ['docs/old/2.txt', 'docs/old/3.txt']],
        [{ prefix: 'DOCS' }, [], []],
        [{ prefix: 'do', with_delimiter: true }, ['docs/'], []],
        [{ with_delimiter: true }, ['docs/'], ['A.txt', 'b.txt', 'z.txt']],
      ] as const;
      for (const [body, folders, objects] of pages) {
        const { json } = await listV2(bucket, body);
        assert.deepEqual(
          [namesOf(at(json, 'folders')), namesOf(at(json, 'objects'))],
          [folders, objects],
          `the folders and the objects of ${JSON.stringify(body)}`,
        );
      }
    },
    { since: '1.0.0' },
  ),
  lists(
    'STORE-515',
    'the pages of version 2 keep their order, by name and by each time',
    async (bucket) => {
      await fill(bucket, ['b', 'a', 'c', 'd']);
      const orders = [
        [{ column: 'name', order: 'desc' }, 'dcba'],
        [{ column: 'created_at', order: 'asc' }, 'bacd'],
        [{ column: 'updated_at', order: 'desc' }, 'dcab'],
      ] as const;
      for (const [sortBy, names] of orders) {
        const first = await listV2(bucket, { limit: 3, sortBy });
        const next = await listV2(bucket, { limit: 3, cursor: textAt(first, 'nextCursor') });
        const found = [first, next].flatMap(({ json }) => namesOf(at(json, 'objects')));
        assert.equal(found.join(''), names, `the names by ${sortBy.column}`);
      }
    },
    { since: '1.0.0' },
  ),
  lists(
    'STORE-516',
    'a page with a delimiter counts folders like objects, and names its last key',
    async (bucket) => {
      await fill(bucket, TREE);
      const body = { limit: 3, with_delimiter: true };
      const first = await listV2(bucket, body);
      assert.deepEqual(
        [namesOf(at(first.json, 'folders')), namesOf(at(first.json, 'objects')), at(first.json, 'hasNext')],
        [['docs/'], ['A.txt', 'b.txt'], true],
        'the folders, the objects and hasNext of the first page',
      );
      const cursor = textAt(first, 'nextCursor');
      assert.match(textAt(first, 'nextCursorKey'), /^docs/, 'nextCursorKey of the first page');
      const { json } = await listV2(bucket, { ...body, cursor });
      assert.deepEqual(
        [namesOf(at(json, 'folders')), namesOf(at(json, 'objects')), at(json, 'hasNext')],
        [[], ['z.txt'], false],
        'the folders, the objects and hasNext of the last page',
      );
    },
    { since: '1.0.0' },
  ),
  lists(
    'STORE-517',
    'an object that is replaced is the last one by updated_at, and keeps its place by created_at',
    async (bucket) => {
      await fill(bucket, ['b', 'a', 'c', 'd']);
      assertStatus(await bucket.upload('b', 'again', { 'x-upsert': 'true' }), 200);
      for (const [sortBy, names] of timeOrders)
        assert.equal(
          namesOf((await list(bucket, { prefix: '', sortBy })).json).join(''),
          names,
          `the names by ${sortBy.column} ${sortBy.order}`,
        );
    },
    { since: '1.0.0' },
  ),
  lists(
    'STORE-518',
    'a cursor of version 2 continues by the time of its order, of each object in turn',
    async (bucket) => {
      await fill(bucket, ['b', 'a', 'c', 'd']);
      assertStatus(await bucket.upload('b', 'again', { 'x-upsert': 'true' }), 200);
      for (const [sortBy, names] of [...timeOrders, [{ column: 'name', order: 'asc' }, 'abcd']] as const)
        assert.equal(
          (await readPages(bucket, { limit: 1, sortBy })).join(''),
          names,
          `the names by ${sortBy.column} ${sortBy.order}`,
        );
    },
    { since: '1.0.0' },
  ),
  lists(
    'STORE-519',
    'the last page of version 2 has no cursor, and an exact one neither',
    async (bucket) => {
      await fill(bucket, ['a', 'b']);
      const first = await listV2(bucket, { limit: 1 });
      assert.equal(at(first.json, 'nextCursorKey'), 'a', 'nextCursorKey of the first page');
      for (const body of [{ limit: 2 }, { limit: 3 }, { limit: 1, cursor: textAt(first, 'nextCursor') }]) {
        const { json } = await listV2(bucket, body);
        assert.deepEqual(
          [at(json, 'hasNext'), at(json, 'nextCursor'), at(json, 'nextCursorKey')],
          [false, undefined, undefined],
          `hasNext, nextCursor and nextCursorKey of ${JSON.stringify(Object.keys(body))}`,
        );
      }
    },
    { since: '1.0.0' },
  ),
  lists(
    'STORE-520',
    'an object of version 2 has its id, its times, its size and its type',
    async (bucket) => {
      const id = textAt(await bucket.upload('f/a.txt', 'abc'), 'Id');
      for (const body of [{}, { prefix: 'f/', with_delimiter: true }]) {
        const { json } = await listV2(bucket, body);
        const object = at(json, 'objects', 0);
        assert.deepEqual(
          [
            at(object, 'id'),
            at(object, 'name'),
            ...['size', 'mimetype', 'cacheControl'].map((member) => at(object, 'metadata', member)),
          ],
          [id, 'f/a.txt', 3, 'text/plain', 'no-cache'],
          'id, name and metadata of the object',
        );
        for (const member of ['created_at', 'updated_at'])
          assert.ok(isNow(at(object, member)), `${member} is now`, String(at(object, member)));
      }
    },
    { since: '1.0.0' },
  ),
  lists(
    'STORE-522',
    'limit and offset count in the order of the list, folders included',
    async (bucket) => {
      await fill(bucket, TREE);
      const query = async (body: object) => namesOf((await list(bucket, { prefix: '', ...body })).json);
      const byTime = { column: 'created_at', order: 'asc' };
      assert.deepEqual(
        [
          await query({ limit: 2, offset: 1, sortBy: { column: 'name', order: 'desc' } }),
          await query({ limit: 2, offset: 1, sortBy: byTime }),
          await query({ limit: 1, sortBy: byTime }),
        ],
        [['docs', 'b.txt'], ['b.txt', 'A.txt'], ['docs']],
        'the names',
      );
    },
    { since: '1.0.0' },
  ),
  lists(
    'STORE-523',
    'version 2 needs a positive limit, a known column and a known order',
    async (bucket) => {
      assertInvalid(await listV2(bucket, { limit: 0 }), 'body/limit must be >= 1');
      assertInvalid(
        await listV2(bucket, { sortBy: { column: 'size' } }),
        'body/sortBy/column must be equal to one of the allowed values',
      );
      assertInvalid(
        await listV2(bucket, { sortBy: { column: 'name', order: 'up' } }),
        'body/sortBy/order must be equal to one of the allowed values',
      );
      assertInvalid(await list(bucket, { prefix: '', offset: -1 }), 'body/offset must be >= 0');
    },
    { since: '1.0.0' },
  ),
  lists(
    'STORE-524',
    'folders and objects are listed in their own letters, and found in any case',
    async (bucket) => {
      await fill(bucket, ['Docs/A.txt', 'Docs/Old/b.txt', 'Docs/Old/c.txt']);
      const sortBy = { column: 'created_at' };
      for (const body of [{ prefix: '' }, { prefix: '', search: 'doc' }, { prefix: '', sortBy }])
        assert.deepEqual(namesOf((await list(bucket, body)).json), ['Docs'], 'the names of the first level');
      for (const prefix of ['Docs', 'docs/'])
        assert.deepEqual(
          namesOf((await list(bucket, { prefix })).json),
          ['A.txt', 'Old'],
          `the names of ${prefix}`,
        );
      const page = await listV2(bucket, { with_delimiter: true });
      assert.deepEqual(namesOf(at(page.json, 'folders')), ['Docs/'], 'the folders of version 2');
    },
    { since: '1.0.0' },
  ),
  lists(
    'STORE-525',
    'pages with a delimiter keep their order in both directions, and have every folder once',
    async (bucket) => {
      await fill(bucket, ['e/1', 'a/1', 'a/2', 'b', 'c/1', 'c/2', 'd', 'e/2']);
      const ascending = ['a/', 'b', 'c/', 'd', 'e/'];
      const byTime = ['e/', 'a/', 'b', 'c/', 'd'];
      for (const [column, order, names] of [
        ['name', 'asc', ascending],
        ['name', 'desc', ascending.toReversed()],
        ['created_at', 'asc', byTime],
      ] as const)
        for (const limit of [1, 2, 5]) {
          const found: unknown[] = [];
          const sortBy = { column, order };
          let page = await listV2(bucket, { sortBy, limit, with_delimiter: true });
          for (let pages = 0; pages < 5; pages += 1) {
            const both = [at(page.json, 'folders'), at(page.json, 'objects')].flatMap(namesOf);
            found.push(...both.toSorted((a, b) => names.indexOf(String(a)) - names.indexOf(String(b))));
            if (at(page.json, 'hasNext') !== true) break;
            page = await listV2(bucket, { limit, with_delimiter: true, cursor: textAt(page, 'nextCursor') });
          }
          assert.deepEqual(found, names, `the names ${order} in pages of ${limit}`);
        }
    },
    { since: '1.0.0' },
  ),
];
