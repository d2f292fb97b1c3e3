import { createStorageClient, StorageError } from 'supabase-protocol-clients/storage-client';
import { assert } from '../../target/assertion.ts';
import type { Audit } from '../../audit/audit.ts';
import { refusalOf } from '../../clients/client-audit.ts';
import { clientBucketAudits, codeOf, countOf, open } from './storage-client-audit.ts';

const link = clientBucketAudits('links');
const batch = clientBucketAudits('clients');

/** Names with every character that the service leaves undecoded when it signs, and those that end a link in plain text. */
const oddNames = ['icon@2x.png', 'a&b$c=d;e:f+g,h.txt', "it's (1)!*.txt", 'a b/c d.txt'];
const questionName = 'what?.txt';

/** Asserts that a URL is unchanged by a browser, and valid in an attribute, Markdown and a mail. */
function assertValid(url: string, what: string): void {
  assert.equal(new URL(url).href, url, what);
  assert.ok(!/[\s"'<>()]/.test(url), `${what} has no character that ends a link`, url);
}

export const clientStorageLinkAudits: readonly Audit[] = [
  link('CLIENT-STORE-201', 'a signed URL opens an object with any valid name', async (own) => {
    for (const name of [...oddNames, questionName]) {
      await own.bucket.upload(name, `of ${name}`);
      const { status, text } = await open(own, await own.bucket.createSignedUrl(name, 60));
      assert.deepEqual([status, text], [200, `of ${name}`], `the response to the signed URL of ${name}`);
    }
  }),
  batch(
    'CLIENT-STORE-202',
    'each URL of a batch opens its object, in the order of the paths',
    async (own) => {
      const names = [questionName, ...oddNames];
      for (const name of names) await own.bucket.upload(name, `of ${name}`);
      const signed = await own.bucket.createSignedUrls(names, 60);
      assert.deepEqual(
        signed.map(({ path }) => path),
        names,
        'the paths',
      );
      for (const { path, url } of signed)
        assert.equal((await open(own, url ?? '')).text, `of ${path}`, `the text at the URL of ${path}`);
    },
  ),
  batch(
    'CLIENT-STORE-203',
    'every returned URL is valid, and is not cut off in a text',
    async ({ bucket }) => {
      for (const name of [...oddNames, questionName]) {
        await bucket.upload(name, 'x');
        assertValid(
          await bucket.createSignedUrl(name, 60, { download: 'R&D (1).txt' }),
          `the signed URL of ${name}`,
        );
        const [signed] = await bucket.createSignedUrls([name], 60);
        assertValid(signed?.url ?? '', `the URL of a batch for ${name}`);
        assertValid(
          (await bucket.createSignedUploadUrl(name, { upsert: true })).url,
          `the URL of an upload to ${name}`,
        );
        assertValid(bucket.getPublicUrl(name), `the public URL of ${name}`);
      }
    },
  ),
  batch('CLIENT-STORE-204', 'a path without an object is the error of its entry', async ({ bucket }) => {
    await bucket.upload('good.txt', 'x');
    const signed = await bucket.createSignedUrls(['größer.txt', 'good.txt', 'a//b', 'missing.txt'], 60);
    assert.deepEqual(
      signed.map(({ path, url, error }) => [path, url !== null, error !== null]),
      [
        ['größer.txt', false, true],
        ['good.txt', true, false],
        ['a//b', false, true],
        ['missing.txt', false, true],
      ],
      'the entries: path, whether a URL, whether an error',
    );
  }),
  batch('CLIENT-STORE-205', 'a batch of more than a thousand paths is split', async (own) => {
    await own.bucket.upload('n1000', 'x');
    const signed = await own.bucket.createSignedUrls(
      Array.from({ length: 1_001 }, (_, index) => `n${index}`),
      60,
    );
    assert.equal(countOf(own, /\/object\/sign\//), 2, 'the number of requests');
    assert.deepEqual(
      [signed.length, signed.at(-1)?.path],
      [1_001, 'n1000'],
      'the number of entries, and the last path',
    );
    assert.ok(signed.at(-1)?.url, 'the last entry has a URL');
  }),
  link('CLIENT-STORE-206', "a signed URL saves the object under the caller's file name", async (own) => {
    await own.bucket.upload('a.txt', 'x');
    const url = await own.bucket.createSignedUrl('a.txt', 60, { download: 'Über "R&D".txt' });
    const disposition = (await open(own, url)).headers.get('content-disposition') ?? '';
    assert.ok(
      disposition.includes(`filename*=UTF-8''${encodeURIComponent('Über "R&D".txt')}`),
      'the header content-disposition has the name',
      disposition,
    );
  }),
  link(
    'CLIENT-STORE-207',
    'a signed upload URL stores one object without an account, and replaces it if it was signed for that',
    async (own) => {
      const { bucket, connection, context } = own;
      const { anonKey } = context.server.target;
      const stranger = createStorageClient({ ...connection, apiKey: anonKey }).from(bucket.name);
      for (const name of ['me@example.com.txt', questionName]) {
        const once = await bucket.createSignedUploadUrl(name);
        assert.equal((await stranger.uploadToSignedUrl(name, once.token, 'first')).path, name, 'the path');
        const { code } = await refusalOf(
          StorageError,
          stranger.uploadToSignedUrl(name, once.token, 'second'),
        );
        assert.equal(code, 'duplicate', 'the code of the second upload');
        const { url } = await bucket.createSignedUploadUrl(name, { upsert: true });
        const replaced = await context.server.target.fetch(url, { method: 'PUT', body: 'third' });
        assert.equal(replaced.status, 200, 'the status of the upload to the URL itself');
        assert.equal(await (await bucket.download(name)).text(), 'third', `the text of ${name}`);
      }
    },
  ),
  clientBucketAudits('reads')(
    'CLIENT-STORE-208',
    'the public URL of an object opens it without a key',
    async (own) => {
      for (const name of [...oddNames, questionName]) {
        await own.bucket.upload(name, `of ${name}`);
        assert.equal(
          (await open(own, own.bucket.getPublicUrl(name))).text,
          `of ${name}`,
          `the text of ${name}`,
        );
      }
    },
    { isPublic: true },
  ),
  link(
    'CLIENT-STORE-209',
    'the signed URL of an object that does not exist is refused as not-found',
    async ({ bucket }) => {
      assert.equal(
        await codeOf(bucket.createSignedUrl('missing.txt', 60)),
        'not-found',
        'the code of a plain name',
      );
      assert.equal(
        await codeOf(bucket.createSignedUrl(questionName, 60)),
        'not-found',
        'the code of a name with a question mark',
      );
    },
  ),
];
