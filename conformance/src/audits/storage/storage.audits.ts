import { assert } from '../../target/assertion.ts';
import { setTimeout } from 'node:timers/promises';
import { auditsOf, type Audit } from '../../audit/audit.ts';
import { assertStatus, at, createWire, textAt, type WireResponse } from '../../target/wire.ts';
import { withBucket } from '../../audit/bucket.ts';

const audit = auditsOf('storage');
const source = 'protocol/rest.md#storage';
const needs = ['service-key'] as const;

/** The real status of a refusal: older servers respond 400 with the status in the body. */
const statusOf = ({ status, json }: WireResponse) => Number(at(json, 'statusCode') ?? status);

/** Buckets and objects; the bucket is created with the service key. */
export const storageAudits: readonly Audit[] = [
  audit('STORE-101', 'a created bucket is listed', { source, needs }, (context) =>
    withBucket(context, false, async ({ name, service }) => {
      const listed = await service.send('GET', '/bucket');
      assertStatus(listed, 200);
      const found = (listed.json as readonly unknown[]).find((bucket) => at(bucket, 'id') === name);
      assert.equal(at(found, 'public'), false, 'public of the bucket');
    }),
  ),
  audit('STORE-102', 'a second bucket with the same name is refused with 409', { source, needs }, (context) =>
    withBucket(context, false, async ({ name, service }) => {
      const again = await service.send('POST', '/bucket', { body: { id: name, name } });
      assert.equal(statusOf(again), 409, 'the status');
    }),
  ),
  audit(
    'STORE-103',
    "an upload returns the object's name, a download its bytes",
    { source, needs },
    (context) =>
      withBucket(context, false, async ({ name, service, upload }) => {
        const sent = await upload('folder/a b.txt', 'Hello');
        assertStatus(sent, 200);
        assert.equal(textAt(sent, 'Key'), `${name}/folder/a b.txt`, 'Key of the upload');
        const got = await service.send('GET', `/object/${name}/folder/a%20b.txt`);
        assertStatus(got, 200);
        assert.equal(got.text, 'Hello', 'the text of the object');
        assert.match(
          got.headers.get('content-type') ?? '',
          /^text\/plain/,
          'the header content-type of the object',
        );
      }),
  ),
  audit('STORE-104', 'an object is not replaced unless x-upsert says so', { source, needs }, (context) =>
    withBucket(context, false, async ({ upload }) => {
      assertStatus(await upload('a.txt', 'one'), 200);
      assert.equal(statusOf(await upload('a.txt', 'two')), 409, 'the status');
      assertStatus(await upload('a.txt', 'two', { 'x-upsert': 'true' }), 200);
    }),
  ),
  audit('STORE-105', 'a folder lists its objects by name', { source, needs }, (context) =>
    withBucket(context, false, async ({ name, service, upload }) => {
      await upload('f/b.txt', 'b');
      await upload('f/a.txt', 'a');
      const body = { prefix: 'f', limit: 100, offset: 0, sortBy: { column: 'name', order: 'asc' } };
      const listed = await service.send('POST', `/object/list/${name}`, { body });
      assertStatus(listed, 200);
      const names = (listed.json as readonly unknown[]).map((object) => at(object, 'name'));
      assert.deepEqual(names, ['a.txt', 'b.txt'], 'the names');
    }),
  ),
  audit('STORE-106', 'a signed link opens the object for everyone who has it', { source, needs }, (context) =>
    withBucket(context, false, async ({ name, service, upload }) => {
      await upload('a.txt', 'Hello');
      const signed = await service.send('POST', `/object/sign/${name}/a.txt`, { body: { expiresIn: 60 } });
      assertStatus(signed, 200);
      const link = service.baseUrl + textAt(signed, 'signedURL');
      const got = await context.target.fetch(link, {});
      assert.equal(await got.text(), 'Hello', 'the text');
      const broken = await context.target.fetch(link.slice(0, -3), {});
      assert.notEqual(broken.status, 200, 'the status of the invalid URL');
    }),
  ),
  audit('STORE-111', 'a signed link opens no other object', { source, needs }, (context) =>
    withBucket(context, false, async ({ name, service, upload }) => {
      await upload('a.txt', 'mine');
      await upload('b.txt', 'another');
      const signed = await service.send('POST', `/object/sign/${name}/a.txt`, { body: { expiresIn: 60 } });
      const link = service.baseUrl + textAt(signed, 'signedURL');
      const other = await context.target.fetch(link.replace('/a.txt?', '/b.txt?'), {});
      assert.notEqual(other.status, 200, 'the token of a.txt opened b.txt');
      await other.text();
    }),
  ),
  audit('STORE-112', 'a signed link expires', { source, needs }, (context) =>
    withBucket(context, false, async ({ name, service, upload }) => {
      await upload('a.txt', 'Hello');
      const signed = await service.send('POST', `/object/sign/${name}/a.txt`, { body: { expiresIn: 1 } });
      await setTimeout(3000);
      const late = await context.target.fetch(service.baseUrl + textAt(signed, 'signedURL'), {});
      assert.notEqual(late.status, 200, 'the link of one second opened the object after three');
      await late.text();
    }),
  ),
  audit('STORE-107', 'a removed object is returned and no longer exists', { source, needs }, (context) =>
    withBucket(context, false, async ({ name, service, upload }) => {
      await upload('a.txt', 'a');
      const removed = await service.send('DELETE', `/object/${name}`, {
        body: { prefixes: ['a.txt', 'b.txt'] },
      });
      assertStatus(removed, 200);
      assert.deepEqual(
        (removed.json as readonly unknown[]).map((object) => at(object, 'name')),
        ['a.txt'],
        'the removed objects',
      );
      assert.equal(statusOf(await service.send('GET', `/object/${name}/a.txt`)), 404, 'the status');
    }),
  ),
  audit(
    'STORE-108',
    'a public bucket can be read without a key, a private one cannot',
    { source, needs },
    async (context) => {
      for (const isPublic of [true, false]) {
        await withBucket(context, isPublic, async ({ name, service, upload }) => {
          await upload('a.txt', 'Hello');
          const got = await context.target.fetch(`${service.baseUrl}/object/public/${name}/a.txt`, {});
          assert.equal(got.status === 200, isPublic, 'the status of the object');
          await got.text();
        });
      }
    },
  ),
  audit('STORE-109', 'without a policy a user neither reads nor writes', { source, needs }, (context) =>
    withBucket(context, false, async ({ name, service, upload }) => {
      await upload('a.txt', 'Hello');
      const { accessToken: token } = await context.newUser();
      const wire = createWire(service.baseUrl, context.target.anonKey, context.target.fetch);
      assert.notEqual(
        (await wire.send('GET', `/object/authenticated/${name}/a.txt`, { token })).status,
        200,
        'the status of the response',
      );
      const headers = { 'Content-Type': 'text/plain' };
      const written = await wire.send('POST', `/object/${name}/b.txt`, { token, body: 'x', headers });
      assert.equal(statusOf(written), 403, 'the status');
    }),
  ),
  audit('STORE-110', 'an object can be moved and copied', { source, needs }, (context) =>
    withBucket(context, false, async ({ name, service, upload }) => {
      await upload('a.txt', 'Hello');
      const move = { bucketId: name, sourceKey: 'a.txt', destinationKey: 'b.txt' };
      assertStatus(await service.send('POST', '/object/move', { body: move }), 200);
      const copy = { bucketId: name, sourceKey: 'b.txt', destinationKey: 'c.txt' };
      assertStatus(await service.send('POST', '/object/copy', { body: copy }), 200);
      assert.equal(
        (await service.send('GET', `/object/${name}/c.txt`)).text,
        'Hello',
        'the text of the response',
      );
      assert.equal(statusOf(await service.send('GET', `/object/${name}/a.txt`)), 404, 'the status');
    }),
  ),
];
