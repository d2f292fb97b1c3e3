import { assert } from '../../target/assertion.ts';
import { auditsOf, type Audit } from '../../audit/audit.ts';
import type { AuditContext } from '../../audit/audit-context.ts';
import { withBucket, type ServerBucket } from '../../audit/bucket.ts';
import { NotRunError } from '../../target/target.ts';
import { assertStatus, at, createWire, textAt } from '../../target/wire.ts';
import { assertInvalid, assertRefused, infoOf, isNow, namesOf, textOf } from './storage-audit.ts';

const audit = auditsOf('storage');
// The vendor calls versions an alpha, and most projects are without them.
const options = { level: 'SHOULD', needs: ['service-key'], since: '1.0.0' } as const;

/** Creates audits that each have a new public bucket, which keeps the versions of its objects. */
const versions = (
  id: string,
  title: string,
  task: (bucket: ServerBucket, context: AuditContext) => Promise<void>,
): Audit =>
  audit(id, title, { ...options, source: 'protocol/storage.md#versions' }, (context) =>
    withBucket(context, true, async (bucket) => {
      const { name, service } = bucket;
      await service.send('PUT', `/bucket/${name}`, { body: { public: true, versioning_status: 'ENABLED' } });
      const { json } = await service.send('GET', `/bucket/${name}`);
      if (at(json, 'versioning_status') !== 'ENABLED') throw new NotRunError('the service keeps no versions');
      await task(bucket, context);
      // An emptied bucket may keep versions, without which it is deleted.
      const all = { noncurrentVersions: 'include', deleteMarkers: 'include' };
      await remove(bucket, await entriesOf(bucket, all));
    }),
  );

/** Creates audits that each have a new bucket, on a service with lifecycles. */
const lifecycles = (id: string, title: string, task: (bucket: ServerBucket) => Promise<void>): Audit =>
  audit(id, title, { ...options, source: 'protocol/storage.md#lifecycles' }, (context) =>
    withBucket(context, false, async (bucket) => {
      const path = `/bucket/${bucket.name}/lifecycle`;
      const code = at((await bucket.service.send('GET', path)).json, 'code');
      // Without the feature the route is unknown, or the code is FeatureNotEnabled.
      if (code === 'FeatureNotEnabled' || code === 'InvalidRequest')
        throw new NotRunError('the service has no lifecycles');
      await task(bucket);
    }),
  );

/** Uploads texts to one path, and returns the id of each version. */
async function store(bucket: ServerBucket, path: string, ...texts: readonly string[]): Promise<string[]> {
  const ids: string[] = [];
  for (const text of texts) {
    assertStatus(await bucket.upload(path, text, { 'x-upsert': 'true' }), 200);
    ids.push(String(at(await infoOf(bucket, path), 'version')));
  }
  return ids;
}

interface Entry {
  readonly path: string;
  readonly versionId: string;
}

const remove = ({ name, service }: ServerBucket, prefixes: readonly (string | Entry)[]) =>
  service.send('DELETE', `/object/${name}`, { body: { prefixes } });
const list = ({ name, service }: ServerBucket, body: object) =>
  service.send('POST', `/object/list/${name}`, { body: { prefix: '', ...body } });
const listV2 = ({ name, service }: ServerBucket, body: object) =>
  service.send('POST', `/object/list-v2/${name}`, { body });
const read = ({ name, service }: ServerBucket, path: string, versionId: string) =>
  service.send('GET', `/object/${name}/${path}`, { query: { versionId } });

const compareText = (a: string, b: string): number => (a < b ? -1 : 1);

/** The versions in a list, sorted, because the two list routes have different orders. */
const idsOf = (entries: unknown): readonly string[] =>
  Array.isArray(entries) ? entries.map((entry) => String(at(entry, 'version'))).toSorted(compareText) : [];

async function entriesOf(bucket: ServerBucket, body: object): Promise<readonly Entry[]> {
  const objects = at((await listV2(bucket, body)).json, 'objects') as readonly unknown[];
  return objects.map((one) => ({ path: String(at(one, 'name')), versionId: String(at(one, 'version')) }));
}

const NO_OBJECT = [404, 'NoSuchKey', 'Object not found', { error: 'not_found' }] as const;

const ofVersions: readonly Audit[] = [
  versions('STORE-901', 'a replaced object stays readable by the id of its version', async (bucket) => {
    const { name, service } = bucket;
    const [first = '', second = ''] = await store(bucket, 'a.txt', 'one', 'second');
    for (const route of ['', 'authenticated/', 'public/']) {
      const path = `/object/${route}${name}/a.txt`;
      const texts = [{ versionId: first }, { versionId: second }, {}].map(
        async (query) => (await service.send('GET', path, { query })).text,
      );
      assert.deepEqual(await Promise.all(texts), ['one', 'second', 'second'], `the texts of ${path}`);
      const head = await service.send('HEAD', path, { query: { versionId: first } });
      assert.equal(head.headers.get('content-length'), '3', `the header content-length of ${path}`);
    }
    for (const route of ['', 'authenticated/', 'public/']) {
      const path = `/object/info/${route}${name}/a.txt`;
      const info = await service.send('GET', path, { query: { versionId: first } });
      assert.deepEqual([at(info.json, 'version'), at(info.json, 'size')], [first, 3], 'version and size');
    }
    assertRefused(await read(bucket, 'a.txt', crypto.randomUUID()), ...NO_OBJECT);
    assertRefused(await read(bucket, 'b.txt', first), ...NO_OBJECT);
  }),
  versions('STORE-902', 'a link opens the version that it was signed for', async (bucket, { target }) => {
    const { name, service } = bucket;
    const [first = ''] = await store(bucket, 'a.txt', 'one', 'two');
    const sign = (versionId?: string) =>
      service.send('POST', `/object/sign/${name}/a.txt`, { body: { expiresIn: 60, versionId } });
    const open = async (versionId?: string) =>
      (
        await createWire(service.baseUrl, '', target.fetch).send(
          'GET',
          textAt(await sign(versionId), 'signedURL'),
        )
      ).text;
    assert.deepEqual([await open(first), await open()], ['one', 'two'], 'the texts of both links');
    assertRefused(await sign(crypto.randomUUID()), ...NO_OBJECT);
  }),
  versions('STORE-903', 'both lists have earlier versions where they are asked for', async (bucket) => {
    const [first = '', second = ''] = await store(bucket, 'f/a.txt', 'one', 'two');
    const found = async (body: object) => [
      idsOf((await list(bucket, { prefix: 'f', ...body })).json),
      idsOf(at((await listV2(bucket, { prefix: 'f/', ...body })).json, 'objects')),
      idsOf(at((await listV2(bucket, { prefix: 'f/', with_delimiter: true, ...body })).json, 'objects')),
    ];
    for (const [noncurrentVersions, ids] of [
      ['exclude', [second]],
      ['only', [first]],
      ['include', [first, second].toSorted(compareText)],
    ] as const)
      assert.deepEqual(
        await found({ noncurrentVersions }),
        [ids, ids, ids],
        `versions, ${noncurrentVersions}`,
      );
    const plain = (await list(bucket, { prefix: 'f' })).json;
    assert.deepEqual(namesOf(plain), ['a.txt'], 'the names without versions');
    const both = await list(bucket, { prefix: 'f', noncurrentVersions: 'include' });
    const byId = (id: string) => (both.json as readonly unknown[]).find((one) => at(one, 'version') === id);
    const members = ['is_delete_marker', 'is_versioned', 'archived_at'];
    assert.deepEqual(
      members.map((member) => at(byId(second), member)),
      [false, true, null],
      'the members of the current version',
    );
    assert.ok(isNow(at(byId(first), 'archived_at')), 'archived_at of the earlier version is now');
    const shown = { noncurrentVersions: 'include', with_delimiter: true };
    for (const folder of [
      at((await list(bucket, shown)).json, 0),
      at((await list(bucket, { ...shown, sortBy: { column: 'created_at' } })).json, 0),
      at((await listV2(bucket, shown)).json, 'folders', 0),
    ])
      assert.deepEqual(
        [String(at(folder, 'name')).replace('/', ''), at(folder, 'id'), at(folder, 'version') ?? null],
        ['f', null, null],
        'name, id and version of the folder',
      );
    for (const member of ['noncurrentVersions', 'deleteMarkers'])
      for (const response of [await list(bucket, { [member]: 'x' }), await listV2(bucket, { [member]: 'x' })])
        assertInvalid(response, `body/${member} must be equal to one of the allowed values`);
  }),
  versions('STORE-904', 'the pages of a list have every version once', async (bucket) => {
    const ids = [
      ...(await store(bucket, 'a.txt', 'one', 'two', 'three')),
      ...(await store(bucket, 'b.txt', 'four', 'five')),
    ];
    const orders = ['name', 'created_at', 'updated_at'].flatMap((column) =>
      ['asc', 'desc'].map((order) => ({ column, order })),
    );
    for (const body of orders.flatMap((sortBy) => [{ sortBy }, { sortBy, with_delimiter: true }])) {
      const seen: string[] = [];
      let cursor: unknown;
      for (let pages = 0; pages < 9; pages += 1) {
        const { with_delimiter } = { with_delimiter: undefined, ...body };
        const rest = cursor === undefined ? body : { with_delimiter, cursor };
        const page = await listV2(bucket, { ...rest, limit: 2, noncurrentVersions: 'include' });
        seen.push(...idsOf(at(page.json, 'objects')));
        cursor = at(page.json, 'nextCursor');
        if (cursor === undefined) break;
      }
      assert.deepEqual(
        seen.toSorted(compareText),
        ids.toSorted(compareText),
        `the versions for ${JSON.stringify(body)}`,
      );
    }
  }),
  versions(
    'STORE-905',
    'a removal hides an object behind a marker, which an upload replaces',
    async (bucket) => {
      const { name, service, upload } = bucket;
      const [first = ''] = await store(bucket, 'a.txt', 'one');
      await store(bucket, 'b.txt', 'b');
      const removed = await service.send('DELETE', `/object/${name}/a.txt`);
      assert.equal(at(removed.json, 'message'), 'Successfully deleted', 'the message');
      assert.equal(
        ((await remove(bucket, ['b.txt'])).json as readonly unknown[]).length,
        1,
        'removed objects',
      );
      for (const path of ['a.txt', 'b.txt'])
        assertRefused(await service.send('GET', `/object/${name}/${path}`), ...NO_OBJECT);
      assert.equal((await read(bucket, 'a.txt', first)).text, 'one', 'the text of the version');
      assert.deepEqual((await list(bucket, {})).json, [], 'the list');
      const markers = await list(bucket, { deleteMarkers: 'only' });
      assert.deepEqual(namesOf(markers.json), ['a.txt', 'b.txt'], 'the names of the markers');
      assert.equal(at(markers.json, 0, 'is_delete_marker'), true, 'is_delete_marker');
      const all = { noncurrentVersions: 'include', deleteMarkers: 'include' };
      assert.equal((await entriesOf(bucket, all)).length, 4, 'the number of versions and markers');
      assertStatus(await upload('a.txt', 'new'), 200);
      assert.equal(await textOf(bucket, 'a.txt'), 'new', 'the text of the new object');
    },
  ),
  versions(
    'STORE-906',
    'a version is removed by its id, and the one before it is current',
    async (bucket) => {
      const { service, name } = bucket;
      const [first = '', second = ''] = await store(bucket, 'a.txt', 'one', 'two');
      const removed = await remove(bucket, [{ path: 'a.txt', versionId: second }]);
      assert.deepEqual(namesOf(removed.json), ['a.txt'], 'the removed names');
      assert.equal(await textOf(bucket, 'a.txt'), 'one', 'the text of the version before');
      assertRefused(await read(bucket, 'a.txt', second), ...NO_OBJECT);
      await remove(bucket, ['a.txt']);
      await remove(bucket, await entriesOf(bucket, { deleteMarkers: 'only' }));
      assert.equal(await textOf(bucket, 'a.txt'), 'one', 'the text without the marker');
      await remove(bucket, [{ path: 'a.txt', versionId: first }]);
      assertRefused(await service.send('GET', `/object/${name}/a.txt`), ...NO_OBJECT);
    },
  ),
  versions('STORE-907', 'an earlier version is copied, and moved back to its path', async (bucket) => {
    const { name, service } = bucket;
    const [first = ''] = await store(bucket, 'a.txt', 'one', 'two');
    const transfer = (kind: 'copy' | 'move', destinationKey: string, sourceVersionId: string) =>
      service.send('POST', `/object/${kind}`, {
        body: { bucketId: name, sourceKey: 'a.txt', destinationKey, sourceVersionId },
      });
    assertStatus(await transfer('copy', 'b.txt', first), 200);
    assert.equal(await textOf(bucket, 'b.txt'), 'one', 'the text of the copy');
    assertStatus(await transfer('move', 'a.txt', first), 200);
    assert.equal(await textOf(bucket, 'a.txt'), 'one', 'the text of the restored object');
    for (const kind of ['copy', 'move'] as const)
      assertRefused(await transfer(kind, 'c.txt', crypto.randomUUID()), ...NO_OBJECT);
  }),
  versions('STORE-908', 'a bucket whose versions are suspended keeps only earlier ones', async (bucket) => {
    const { name, service } = bucket;
    const [first = ''] = await store(bucket, 'a.txt', 'one');
    const put = (versioning_status: string) =>
      service.send('PUT', `/bucket/${name}`, { body: { versioning_status } });
    assertStatus(await put('SUSPENDED'), 200);
    const { json } = await service.send('GET', `/bucket/${name}`);
    assert.equal(at(json, 'versioning_status'), 'SUSPENDED', 'versioning_status of the bucket');
    await store(bucket, 'a.txt', 'two', 'three');
    const earlier = await entriesOf(bucket, { noncurrentVersions: 'only' });
    assert.deepEqual(earlier, [{ path: 'a.txt', versionId: first }], 'the earlier versions');
    assertStatus(await put('ENABLED'), 200);
    await store(bucket, 'a.txt', 'four');
    const kept = await entriesOf(bucket, { noncurrentVersions: 'only' });
    const texts = await Promise.all(
      kept.map(async ({ path, versionId }) => (await read(bucket, path, versionId)).text),
    );
    assert.deepEqual(new Set(texts), new Set(['one', 'three']), 'the texts of the earlier versions');
    const disabled = await put('DISABLED');
    assert.deepEqual([disabled.status, at(disabled.json, 'statusCode')], [400, '400'], 'the statuses');
  }),
  versions('STORE-909', 'a list of the exact name has no other object', async (bucket) => {
    for (const path of ['f/a', 'f/ab', 'f/a/b', 'g']) await store(bucket, path, path);
    const page = await listV2(bucket, { prefix: 'f/a', exactMatch: true });
    assert.deepEqual(namesOf(at(page.json, 'objects')), ['f/a'], 'the names of version 2');
    assert.deepEqual(
      namesOf((await list(bucket, { prefix: 'f/a', exactMatch: true })).json),
      ['a'],
      'the names',
    );
    const none = await listV2(bucket, { prefix: 'f', exactMatch: true });
    assert.deepEqual(at(none.json, 'objects'), [], 'the objects of a folder');
  }),
];

const RULE = { status: 'Enabled', filter: {}, noncurrentVersionExpiration: { noncurrentDays: 7 } };
const NOT_POSITIVE = "'NoncurrentDays' for NoncurrentVersionExpiration action must be a positive integer";
const NOT_COUNTED =
  "'NewerNoncurrentVersions' for NoncurrentVersionExpiration action must be an integer between 1 and 100";
const TWICE = 'Rule ID must be unique. Found same ID for more than one rule';
const NO_FILTER = 'Rule 1 uses a lifecycle filter that is not supported in v1';
const expiring = (noncurrentDays: unknown, newerNoncurrentVersions?: unknown) => ({
  ...RULE,
  noncurrentVersionExpiration: { noncurrentDays, newerNoncurrentVersions },
});
const legacy = (expiration: object) => ({
  status: 'Disabled',
  legacyPrefix: '',
  noncurrentVersionExpiration: expiration,
});

/** Rules that are refused, with the message. */
const REFUSED_RULES: readonly (readonly [rules: unknown, message: string])[] = [
  [[], 'Lifecycle configuration must contain between 1 and 1000 rules'],
  [Array.from({ length: 1001 }, () => RULE), 'Lifecycle configuration must contain between 1 and 1000 rules'],
  [[{ ...RULE, expiration: {} }], 'Rule 1 contains unsupported field expiration'],
  [[RULE, { ...RULE, filter: undefined }], 'Rule 2 must contain exactly one of Filter or Prefix'],
  [[{ ...RULE, legacyPrefix: '' }], 'Rule 1 must contain exactly one of Filter or Prefix'],
  [[{ ...RULE, id: 'a'.repeat(256) }], 'Rule 1 ID must be 255 characters or fewer'],
  [
    [
      { ...RULE, id: 'a' },
      { ...RULE, id: 'a' },
    ],
    TWICE,
  ],
  [[{ ...RULE, id: 'a' }, RULE, { ...RULE, id: 'a' }], TWICE],
  [[{ ...RULE, status: 'On' }], 'Rule 1 Status must be Enabled or Disabled'],
  [[{ ...RULE, filter: { prefix: 'a' } }], NO_FILTER],
  [[{ ...legacy({ noncurrentDays: 1 }), legacyPrefix: 'a' }], NO_FILTER],
  [[expiring(undefined)], 'Rule 1 NoncurrentVersionExpiration must contain NoncurrentDays'],
  [
    [{ ...RULE, noncurrentVersionExpiration: { noncurrentDays: 1, days: 1 } }],
    'Rule 1 expiration contains unsupported field days',
  ],
  [[expiring(0)], NOT_POSITIVE],
  [[expiring(1.5)], NOT_POSITIVE],
  [[expiring('x')], NOT_POSITIVE],
  [[expiring(1, 0)], NOT_COUNTED],
  [[expiring(1, 101)], NOT_COUNTED],
  [
    [legacy({ noncurrentDays: 1, newerNoncurrentVersions: 1 })],
    'NewerNoncurrentVersions element can only be used in Lifecycle V2.',
  ],
];

const ofLifecycles: readonly Audit[] = [
  lifecycles('STORE-910', 'a lifecycle is stored, replaced and removed', async ({ name, service }) => {
    const path = `/bucket/${name}/lifecycle`;
    const none = [404, 'NoSuchLifecycleConfiguration', 'The lifecycle configuration does not exist'] as const;
    const get = () => service.send('GET', path);
    const put = (...rules: readonly object[]) => service.send('PUT', path, { body: { rules } });
    assertRefused(await get(), ...none);
    const kept = {
      ...RULE,
      noncurrentVersionExpiration: { noncurrentDays: 30, newerNoncurrentVersions: 100 },
    };
    const stored = await put({ ...RULE, id: 'a' }, kept);
    const id = textAt(stored, 'rules', 1, 'id');
    assert.match(id, /^rule-[\da-f]{64}$/, 'the id of the rule without one');
    assert.deepEqual(
      stored.json,
      {
        rules: [
          { ...RULE, id: 'a' },
          { ...kept, id },
        ],
      },
      'the response',
    );
    assert.deepEqual((await get()).json, stored.json, 'the lifecycle');
    const days = expiring('7');
    const older = legacy({ noncurrentDays: 1 });
    const again = await put({ ...days, filter: null }, kept, kept, older);
    const generated = [0, 1, 2, 3].map((index) => textAt(again, 'rules', index, 'id'));
    assert.deepEqual(generated.slice(1, 3), [id, `${id}-1`], 'the ids of equal rules');
    assert.deepEqual(
      again.json,
      {
        rules: [RULE, kept, kept, older].map((rule, index) => Object.assign({ id: generated[index] }, rule)),
      },
      'the response to the replacement',
    );
    assertStatus(await put(RULE), 200);
    assert.deepEqual(at((await get()).json, 'rules', 0, 'id'), generated[0], 'the id of the same rule');
    const deleted = await service.send('DELETE', path);
    assert.deepEqual(deleted.json, { message: 'Successfully deleted' }, 'the response to the removal');
    assertRefused(await get(), ...none);
  }),
  lifecycles(
    'STORE-911',
    'an unsound lifecycle is refused and changes nothing',
    async ({ name, service }) => {
      const path = `/bucket/${name}/lifecycle`;
      const longest = 'a'.repeat(255);
      assertStatus(await service.send('PUT', path, { body: { rules: [{ ...RULE, id: longest }] } }), 200);
      for (const [rules, message] of REFUSED_RULES)
        assertRefused(await service.send('PUT', path, { body: { rules } }), 400, 'InvalidParameter', message);
      assert.equal(
        at((await service.send('GET', path)).json, 'rules', 0, 'id'),
        longest,
        'the id of the rule',
      );
    },
  ),
  lifecycles('STORE-912', 'a bucket that does not exist has no lifecycle', async ({ name, service }) => {
    const path = `/bucket/${name}-none/lifecycle`;
    const body = { rules: [RULE] };
    for (const response of [
      await service.send('GET', path),
      await service.send('PUT', path, { body }),
      await service.send('DELETE', path),
    ])
      assertRefused(response, 404, 'NoSuchBucket', 'Bucket not found', { error: 'Bucket not found' });
  }),
];

/** Versions of objects, and the rules by which they expire. */
export const storageVersionAudits: readonly Audit[] = [...ofVersions, ...ofLifecycles];
