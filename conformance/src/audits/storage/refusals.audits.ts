import { assert } from '../../target/assertion.ts';
import type { Audit } from '../../audit/audit.ts';
import { assertStatus, at, createWire, textAt, type WireResponse } from '../../target/wire.ts';
import { assertRefusal, bucketAudits } from './storage-audit.ts';

const bodies = bucketAudits('bodies');
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

/** What is refused, and the texts of refusals. */
export const storageRefusalAudits: readonly Audit[] = [
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
];
