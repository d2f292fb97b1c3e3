import { assert } from '../../target/assertion.ts';
import type { Audit } from '../../audit/audit.ts';
import type { AuditContext } from '../../audit/audit-context.ts';
import { NotRunError } from '../../target/target.ts';
import {
  assertStatus,
  assertStatusIn,
  at,
  createWire,
  parseJson,
  textAt,
  type WireRequest,
} from '../../target/wire.ts';
import type { ServerBucket } from '../../audit/bucket.ts';
import { assertInvalid, assertRefusal, assertRefused, bucketAudits, namesOf } from './storage-audit.ts';

const access = bucketAudits('access');

/** A signed-in user without a policy. */
async function asUser({ service }: ServerBucket, context: AuditContext) {
  const { accessToken: token } = await context.newUser();
  const wire = createWire(service.baseUrl, context.target.anonKey, context.target.fetch);
  return (method: string, path: string, body?: unknown, headers: Readonly<Record<string, string>> = {}) =>
    wire.send(method, path, { token, ...(body !== undefined && { body }), headers });
}

/** Sends requests without a key, as a browser opens a URL. */
const asBrowser = ({ service }: ServerBucket, context: AuditContext) =>
  createWire(service.baseUrl, '', context.target.fetch);

/**
 * Runs `task` while the bucket's objects have policies. `$bucket` in their SQL is the bucket's name as a literal.
 *
 * @throws NotRunError on a target whose database is not the audits' to change.
 */
async function withPolicies(
  { name }: ServerBucket,
  context: AuditContext,
  policies: readonly string[],
  task: () => Promise<void>,
): Promise<void> {
  if (context.target.createsTables !== true)
    throw new NotRunError('no policies may be created there without --apply-schema');
  const named = policies.map((sql, index) => [`"audit ${name} ${index}"`, sql] as const);
  const created: string[] = [];
  try {
    for (const [policy, sql] of named) {
      const text = `create policy ${policy} on storage.objects ${sql.replaceAll('$bucket', `'${name}'`)}`;
      await context.query(text).catch((cause: unknown) => {
        throw new NotRunError('no policies of objects can be created there', { cause });
      });
      created.push(policy);
    }
    await task();
  } finally {
    for (const policy of created) await context.query(`drop policy ${policy} on storage.objects`);
  }
}

/** Policies by which users read, write, change and remove what they own. */
const OF_OWNERS = [
  `for insert to authenticated with check (bucket_id = $bucket and name like 'in/%')`,
  'for select to authenticated using (bucket_id = $bucket and owner_id = (select auth.uid()::text))',
  'for update to authenticated using (bucket_id = $bucket and owner_id = (select auth.uid()::text))',
  'for delete to authenticated using (bucket_id = $bucket and owner_id = (select auth.uid()::text))',
] as const;

const SCHEMA_MISMATCH = 'The database schema is out of sync. Please run migrations or contact support.';
const REFERENCED = 'The resource could not be updated or removed due to a foreign key constraint';
type Refusal = Parameters<typeof assertRefused> extends [unknown, ...infer Rest] ? Rest : never;
/** An SQLSTATE that a policy raises with its code as the message, and the refusal. */
const OF_POLICIES: Readonly<Record<string, Refusal>> = {
  '42501': [403, 'AccessDenied', '42501', { error: 'Unauthorized' }],
  '23505': [409, 'ResourceAlreadyExists', 'The resource already exists', { error: 'Duplicate' }],
  '23503': [404, 'InvalidRequest', 'The related resource does not exist'],
  '57014': [544, 'DatabaseTimeout', 'The connection to the database timed out', { httpStatus: 544 }],
  '55P03': [423, 'ResourceLocked', 'The resource is locked'],
  '25006': [503, 'DatabaseReadOnly', 'The database is currently in read-only mode. Please try again later.'],
  '42P17': [503, 'DatabaseInvalidObjectDefinition', 'The database schema is invalid or incompatible.'],
  '22P02': [400, 'InvalidParameter', '22P02'],
  '42703': [503, 'DatabaseSchemaMismatch', SCHEMA_MISMATCH],
  '42P01': [503, 'DatabaseSchemaMismatch', SCHEMA_MISMATCH],
};

/**
 * Runs `task` while a function of this body, for the name `code`, decides which of the bucket's objects users may read,
 * write and remove.
 *
 * @throws NotRunError on a target whose database is not the audits' to change.
 */
async function withVisibility(
  bucket: ServerBucket,
  context: AuditContext,
  body: string,
  task: () => Promise<void>,
): Promise<void> {
  if (context.target.createsTables !== true)
    throw new NotRunError('no functions may be created there without --apply-schema');
  const decide = `public."audit ${bucket.name}"`;
  const visible = `case when bucket_id = $bucket then ${decide}(name) end`;
  await context.query(
    `create function ${decide} (code text) returns boolean language plpgsql as $$ begin ${body} end $$`,
  );
  try {
    await context.query(`grant execute on function ${decide} (text) to authenticated`);
    await withPolicies(
      bucket,
      context,
      [`to authenticated using (${visible}) with check (${visible})`],
      task,
    );
  } finally {
    await context.query(`drop function ${decide} (text)`);
  }
}

/**
 * Runs `task` while a trigger refuses each new row of the bucket's objects, with its operation as the message.
 *
 * @throws NotRunError on a target whose tables of storage are not the audits' to change.
 */
async function withRefusedRows(
  { name }: ServerBucket,
  context: AuditContext,
  task: () => Promise<void>,
): Promise<void> {
  if (context.target.createsTables !== true)
    throw new NotRunError('no triggers may be created there without --apply-schema');
  await context.query(
    `create function public."audit ${name}" () returns trigger language plpgsql as
     $$ begin raise exception using errcode = '22P02', message = storage.operation(); end $$`,
  );
  try {
    await context
      .query(
        `create trigger "audit ${name}" before insert on storage.objects for each row
         when (new.bucket_id = '${name}') execute function public."audit ${name}" ()`,
      )
      .catch((cause: unknown) => {
        throw new NotRunError('no triggers of objects can be created there', { cause });
      });
    await task();
  } finally {
    await context.query(`drop function public."audit ${name}" () cascade`);
  }
}

/** Raises what policies can read of the request as the message of a refusal. */
const RAISE_SCOPE = `raise exception using errcode = '22P02', message = jsonb_build_object(
  'operation', storage.operation(), 'method', current_setting('request.method'), 'path', current_setting('request.path'),
  'role', auth.role(), 'uid', auth.uid(), 'claims', current_setting('request.jwt.claims')::jsonb,
  'jwt', current_setting('request.jwt'), 'headers', current_setting('request.headers')::jsonb,
  'roleSetting', current_setting('request.jwt.claim.role'), 'sub', current_setting('request.jwt.claim.sub'),
  'user', current_user)::text;`;

/** Requests for the object \`a\` of a bucket, with the operation that policies read. */
const OPERATIONS: readonly (readonly [method: string, path: string, body: unknown, operation: string])[] = [
  ['GET', '/object/$bucket/a', undefined, 'storage.object.get_authenticated'],
  ['GET', '/object/authenticated/$bucket/a', undefined, 'storage.object.get_authenticated'],
  ['GET', '/object/info/$bucket/a', undefined, 'object.get_authenticated_info'],
  ['GET', '/object/info/authenticated/$bucket/a', undefined, 'object.get_authenticated_info'],
  ['POST', '/object/$bucket/b', {}, 'storage.object.upload'],
  ['PUT', '/object/$bucket/b', {}, 'storage.object.upload_update'],
  ['POST', '/object/upload/sign/$bucket/b', undefined, 'storage.object.sign_upload_url'],
  ['DELETE', '/object/$bucket', { prefixes: ['a'] }, 'storage.object.delete_many'],
  ['DELETE', '/object/$bucket/a', undefined, 'storage.object.delete'],
  ['POST', '/object/list/$bucket', { prefix: '' }, 'storage.object.list'],
  ['POST', '/object/list-v2/$bucket', {}, 'storage.object.list_v2'],
  ['POST', '/object/sign/$bucket/a', { expiresIn: 60 }, 'storage.object.sign'],
  ['POST', '/object/sign/$bucket', { expiresIn: 60, paths: ['a'] }, 'storage.object.sign_many'],
  [
    'POST',
    '/object/copy',
    { bucketId: '$bucket', sourceKey: 'a', destinationKey: 'b' },
    'storage.object.copy',
  ],
  [
    'POST',
    '/object/move',
    { bucketId: '$bucket', sourceKey: 'a', destinationKey: 'b' },
    'storage.object.move',
  ],
];

/** The operations of HEAD requests for the object `a` of a bucket. */
const HEAD_OPERATIONS = [
  ['/object/$bucket/a', 'object.head_authenticated_info'],
  ['/object/authenticated/$bucket/a', 'object.head_authenticated_info'],
  ['/object/info/$bucket/a', 'object.get_authenticated_info'],
  ['/object/info/authenticated/$bucket/a', 'object.get_authenticated_info'],
] as const;

/** The access of users without a policy, and to public buckets. */
export const storageAccessAudits: readonly Audit[] = [
  access('STORE-801', 'for a user without a policy an object seems not to exist', async (bucket, context) => {
    await bucket.upload('a.txt', 'a');
    const send = await asUser(bucket, context);
    for (const path of [`/object/${bucket.name}/a.txt`, `/object/info/${bucket.name}/a.txt`])
      assertRefusal(await send('GET', path), 404, 'NoSuchKey');
    assertRefusal(
      await send('POST', `/object/sign/${bucket.name}/a.txt`, { expiresIn: 60 }),
      404,
      'NoSuchKey',
    );
  }),
  access(
    'STORE-802',
    'a user without a policy lists and removes nothing, without an error',
    async (bucket, context) => {
      await bucket.upload('a.txt', 'a');
      const send = await asUser(bucket, context);
      const listed = await send('POST', `/object/list/${bucket.name}`, { prefix: '' });
      assert.deepEqual(listed.json, [], 'the list');
      const removed = await send('DELETE', `/object/${bucket.name}`, { prefixes: ['a.txt'] });
      assert.deepEqual(removed.json, [], 'the removed objects');
      assertStatus(await bucket.service.send('GET', `/object/${bucket.name}/a.txt`), 200);
    },
  ),
  access(
    'STORE-803',
    'the removal of one object without a policy is AccessDenied',
    async (bucket, context) => {
      await bucket.upload('a.txt', 'a');
      const send = await asUser(bucket, context);
      assertRefusal(await send('DELETE', `/object/${bucket.name}/a.txt`), 403, 'AccessDenied');
    },
  ),
  access(
    'STORE-804',
    'an upload without a policy is AccessDenied, also by a link',
    async (bucket, context) => {
      const send = await asUser(bucket, context);
      const headers = { 'Content-Type': 'text/plain' };
      assertRefusal(await send('POST', `/object/${bucket.name}/a.txt`, 'a', headers), 403, 'AccessDenied');
      assertRefusal(await send('POST', `/object/upload/sign/${bucket.name}/a.txt`), 403, 'AccessDenied');
    },
  ),
  access('STORE-805', 'a user without a policy creates no bucket', async (bucket, context) => {
    const send = await asUser(bucket, context);
    assertRefusal(await send('POST', '/bucket', { name: `${bucket.name}-own` }), 403, 'AccessDenied');
  }),
  access(
    'STORE-806',
    'a public bucket can be read without a key, but not written',
    async (bucket, context) => {
      await bucket.upload('a.txt', 'a');
      const browser = asBrowser(bucket, context);
      assert.equal((await browser.send('GET', `/object/public/${bucket.name}/a.txt`)).text, 'a', 'the text');
      assertStatus(await browser.send('HEAD', `/object/public/${bucket.name}/a.txt`), 200);
      const send = await asUser(bucket, context);
      const headers = { 'Content-Type': 'text/plain' };
      assertRefusal(await send('POST', `/object/${bucket.name}/b.txt`, 'b', headers), 403, 'AccessDenied');
    },
    { isPublic: true },
  ),
  access('STORE-807', 'the public route of a private bucket is NoSuchBucket', async (bucket, context) => {
    await bucket.upload('a.txt', 'a');
    const browser = asBrowser(bucket, context);
    assertRefusal(await browser.send('GET', `/object/public/${bucket.name}/a.txt`), 404, 'NoSuchBucket');
    assertRefusal(await browser.send('GET', `/object/info/public/${bucket.name}/a.txt`), 404, 'NoSuchBucket');
  }),
  access('STORE-808', 'an invalid token is AccessDenied', async ({ service }, context) => {
    const wire = createWire(service.baseUrl, context.target.anonKey, context.target.fetch);
    assertRefusal(await wire.send('GET', '/bucket', { token: 'a.b.c' }), 403, 'AccessDenied');
  }),
  access(
    'STORE-809',
    'a request without a key and a token lists nothing',
    async (bucket, context) => {
      const listed = await asBrowser(bucket, context).send('POST', `/object/list/${bucket.name}`, {
        body: { prefix: '' },
      });
      assertStatusIn(listed, [400, 401, 403]);
    },
    { since: '1.0.0' },
  ),
  access(
    'STORE-810',
    'only the service role purges the cache',
    async (bucket, context) => {
      const send = await asUser(bucket, context);
      const purged = await send('DELETE', `/cdn/${bucket.name}/a.txt`);
      if (at(purged.json, 'code') === 'FeatureNotEnabled') throw new NotRunError('purging is not enabled');
      assertRefusal(purged, 403, 'AccessDenied', 403);
    },
    { since: '1.0.0' },
  ),
  access(
    'STORE-811',
    'an object of a public bucket is described without a key',
    async (bucket, context) => {
      await bucket.upload('a.txt', 'abc');
      const browser = asBrowser(bucket, context);
      const { json } = await browser.send('GET', `/object/info/public/${bucket.name}/a.txt`);
      assert.deepEqual([at(json, 'name'), at(json, 'size')], ['a.txt', 3], 'the name and the size');
      assertStatus(await browser.send('HEAD', `/object/info/public/${bucket.name}/a.txt`), 400);
      assertRefusal(await browser.send('GET', `/object/public/${bucket.name}/none`), 404, 'NoSuchKey');
    },
    { isPublic: true, since: '1.0.0' },
  ),
  access(
    'STORE-812',
    'a user without a policy sees and changes no bucket',
    async (bucket, context) => {
      const send = await asUser(bucket, context);
      const path = `/bucket/${bucket.name}`;
      assertRefusal(await send('GET', path), 404, 'NoSuchBucket');
      assertRefusal(await send('PUT', path, { public: true }), 404, 'NoSuchBucket');
      const listed = await send('GET', `/bucket?search=${bucket.name}`);
      assert.deepEqual(listed.json, [], 'the list');
      const { json } = await bucket.service.send('GET', path);
      assert.equal(at(json, 'public'), false, 'public of the bucket');
    },
    { since: '1.0.0' },
  ),
  access(
    'STORE-813',
    'a user without a policy neither copies nor moves an object',
    async (bucket, context) => {
      await bucket.upload('a.txt', 'a');
      const send = await asUser(bucket, context);
      for (const kind of ['copy', 'move']) {
        const body = { bucketId: bucket.name, sourceKey: 'a.txt', destinationKey: 'b.txt' };
        assertRefusal(await send('POST', `/object/${kind}`, body), 404, 'NoSuchKey');
      }
      assertStatus(await bucket.service.send('GET', `/object/${bucket.name}/a.txt`), 200);
    },
    { since: '1.0.0' },
  ),
  access(
    'STORE-814',
    'an expired token is AccessDenied',
    async ({ service }, context) => {
      const nowSeconds = Math.floor(Date.now() / 1000);
      const { accessToken } = await context.newUser();
      const wire = createWire(service.baseUrl, context.target.anonKey, context.target.fetch);
      const list = (exp: number) =>
        wire.send('GET', '/bucket', {
          token: context.signAgain(accessToken, { iat: nowSeconds - 7200, exp }),
        });
      if ((await list(nowSeconds + 3600)).status !== 200)
        throw new NotRunError('the target accepts no tokens of the legacy secret');
      assertRefusal(await list(nowSeconds - 3600), 403, 'AccessDenied');
    },
    { since: '1.0.0' },
  ),
  access(
    'STORE-815',
    'for a user without a policy a batch of links has errors, and a page is empty',
    async (bucket, context) => {
      await bucket.upload('a.txt', 'a');
      const send = await asUser(bucket, context);
      const signed = await send('POST', `/object/sign/${bucket.name}`, { expiresIn: 60, paths: ['a.txt'] });
      assert.deepEqual(
        [at(signed.json, 0, 'signedURL'), typeof at(signed.json, 0, 'error')],
        [null, 'string'],
        'the URL and the error of the entry',
      );
      for (const with_delimiter of [false, true]) {
        const page = await send('POST', `/object/list-v2/${bucket.name}`, { with_delimiter });
        assert.deepEqual(at(page.json, 'objects'), [], 'the objects of the page');
      }
    },
    { since: '1.0.0' },
  ),
  access(
    'STORE-816',
    'a user without a policy begins no resumable upload',
    async ({ name, service }, context) => {
      const { accessToken: token } = await context.newUser();
      const wire = createWire(service.baseUrl, context.target.anonKey, context.target.fetch);
      const encode = (text: string) => Buffer.from(text).toString('base64');
      const headers = {
        'Tus-Resumable': '1.0.0',
        'Upload-Length': '3',
        'Upload-Metadata': `bucketName ${encode(name)},objectName ${encode('a.txt')}`,
      };
      assertStatus(await wire.send('POST', '/upload/resumable', { token, headers }), 403);
    },
    { since: '1.0.0' },
  ),
  access(
    'STORE-817',
    'a user without a policy deletes no bucket, and replaces and uploads no object by PUT',
    async (bucket, context) => {
      const send = await asUser(bucket, context);
      assertRefusal(await send('DELETE', `/bucket/${bucket.name}`), 404, 'NoSuchBucket');
      await bucket.upload('a.txt', 'a');
      const headers = { 'Content-Type': 'text/plain' };
      for (const path of ['a.txt', 'b.txt'])
        assertRefusal(await send('PUT', `/object/${bucket.name}/${path}`, 'b', headers), 403, 'AccessDenied');
      const got = await bucket.service.send('GET', `/object/${bucket.name}/a.txt`);
      assert.equal(got.text, 'a', 'the text');
    },
    { since: '1.0.0' },
  ),
  access(
    'STORE-818',
    'no route reads a private object without a key',
    async (bucket, context) => {
      await bucket.upload('a.txt', 'secret');
      const path = `${bucket.name}/a.txt`;
      for (const route of ['', 'authenticated/', 'info/', 'info/authenticated/']) {
        const got = await asBrowser(bucket, context).send('GET', `/object/${route}${path}`);
        assertStatusIn(got, [400, 401, 403, 404]);
        assert.equal(at(got.json, 'id'), undefined, `id of the response of /object/${route}`);
        assert.ok(!got.text.includes('secret'), `/object/${route} does not return the object`);
      }
    },
    { since: '1.0.0' },
  ),
  access(
    'STORE-819',
    'the route of signed-in users needs a key, even in a public bucket',
    async (bucket, context) => {
      await bucket.upload('a.txt', 'public');
      const send = (path: string) => asBrowser(bucket, context).send('GET', path);
      const refused = await send(`/object/authenticated/${bucket.name}/a.txt`);
      assertStatusIn(refused, [400, 401, 403]);
      assert.ok(refused.text !== 'public', 'the route does not return the object');
      assert.equal((await send(`/object/public/${bucket.name}/a.txt`)).text, 'public', 'the text');
    },
    { isPublic: true, since: '1.0.0' },
  ),
  access(
    'STORE-821',
    'policies of owners permit users what they own, and nothing of others',
    async (bucket, context) => {
      const { name, service, upload } = bucket;
      const [ada, grace] = [await context.newUser(), await context.newUser()];
      const wire = createWire(service.baseUrl, context.target.anonKey, context.target.fetch);
      const as =
        (token: string) =>
        (method: string, path: string, body?: unknown, headers = {}) =>
          wire.send(method, path, { token, headers, ...(body !== undefined && { body }) });
      const [byAda, byGrace] = [as(ada.accessToken), as(grace.accessToken)];
      const text = { 'Content-Type': 'text/plain' };
      await upload('in/other.txt', 'other');
      await withPolicies(bucket, context, OF_OWNERS, async () => {
        const path = `/object/${name}/in/a.txt`;
        assertStatus(await byAda('POST', path, 'a', text), 200);
        assertRefusal(await byAda('POST', `/object/${name}/out.txt`, 'a', text), 403, 'AccessDenied');
        assert.equal((await byAda('GET', path)).text, 'a', 'the text for the owner');
        assertRefusal(await byGrace('GET', path), 404, 'NoSuchKey');
        const upsert = { ...text, 'x-upsert': 'true' };
        assertStatus(await byAda('POST', path, 'b', upsert), 200);
        assertRefusal(await byGrace('POST', path, 'c', upsert), 403, 'AccessDenied');
        assertRefusal(await byGrace('POST', path, 'c', text), 409, 'KeyAlreadyExists');
        const list = async (send: typeof byAda) =>
          namesOf((await send('POST', `/object/list/${name}`, { prefix: 'in' })).json);
        assert.deepEqual([await list(byAda), await list(byGrace)], [['a.txt'], []], 'the names of both');
        const paths = { prefixes: ['in/a.txt', 'in/other.txt'] };
        assert.deepEqual((await byGrace('DELETE', `/object/${name}`, paths)).json, [], 'what Grace removes');
        const move = (sourceKey: string, destinationKey: string) => ({
          bucketId: name,
          sourceKey,
          destinationKey,
        });
        assertStatus(await byAda('POST', '/object/move', move('in/a.txt', 'in/b.txt')), 200);
        const copied = await byAda('POST', '/object/copy', move('in/b.txt', 'in/c.txt'));
        assert.deepEqual(
          [at(copied.json, 'owner'), at(copied.json, 'owner_id')],
          [ada.id, ada.id],
          'owner and owner_id of the copy',
        );
        const signed = await byAda('POST', `/object/upload/sign/${name}/in/d.txt`);
        const stored = await wire.send('PUT', textAt(signed, 'url'), { body: 'd', headers: text });
        assertStatus(stored, 200);
        assert.equal((await byAda('GET', `/object/${name}/in/d.txt`)).text, 'd', 'the text of the link');
        const removed = await byAda('DELETE', `/object/${name}`, {
          prefixes: ['in/b.txt', 'in/c.txt', 'in/d.txt', 'in/other.txt'],
        });
        assert.deepEqual(
          new Set(namesOf(removed.json)),
          new Set(['in/b.txt', 'in/c.txt', 'in/d.txt']),
          'the removed names',
        );
      });
    },
    { since: '1.0.0' },
  ),
  access(
    'STORE-822',
    'an error of a policy is refused by its SQLSTATE',
    async (bucket, context) => {
      const { name, upload } = bucket;
      const send = await asUser(bucket, context);
      for (const path of [...Object.keys(OF_POLICIES), 'referenced', 'rows']) await upload(path, path);
      const body = `case code
        when 'referenced' then raise exception using errcode = '23503', detail = 'it is still referenced from table a';
        when 'rows' then raise exception using errcode = '42501', message = 'a row-level security policy';
        else raise exception using errcode = code, message = code;
      end case;`;
      await withVisibility(bucket, context, body, async () => {
        const read = (path: string) => send('GET', `/object/${name}/${path}`);
        for (const [code, refusal] of Object.entries(OF_POLICIES))
          assertRefused(await read(code), ...refusal);
        assertRefused(await read('referenced'), 409, 'ResourceReferenced', REFERENCED);
        assertRefused(await read('rows'), 403, 'AccessDenied', 'new row violates row-level security policy', {
          error: 'Unauthorized',
        });
      });
    },
    { since: '1.0.0' },
  ),
  access(
    'STORE-823',
    'a policy reads the operation, the request and the claims of its caller',
    async (bucket, context) => {
      const { name, service, upload } = bucket;
      await upload('a', 'a');
      const { accessToken: token, id } = await context.newUser();
      const wire = createWire(service.baseUrl, context.target.anonKey, context.target.fetch);
      await withVisibility(bucket, context, RAISE_SCOPE, async () => {
        for (const [method, route, body, operation] of OPERATIONS) {
          const path = route.replace('$bucket', name);
          const sent = JSON.stringify(body)?.replace('$bucket', name);
          const headers = { 'X-Audit': operation };
          const refused = await wire.send(method, path, {
            token,
            headers,
            ...(sent !== undefined && { body: sent }),
          });
          assertRefusal(refused, 400, 'InvalidParameter');
          const scope = parseJson(String(at(refused.json, 'message')));
          const members = ['operation', 'method', 'role', 'uid', 'jwt', 'roleSetting', 'sub', 'user'];
          assert.deepEqual(
            [...members.map((member) => at(scope, member)), at(scope, 'headers', 'x-audit')],
            [operation, method, 'authenticated', id, token, 'authenticated', id, 'authenticated', operation],
            `${members.join(', ')} and the header x-audit of ${route}`,
          );
          assert.equal(at(scope, 'claims', 'sub'), id, 'the claim sub');
          assert.ok(String(at(scope, 'path')).endsWith(path), `the path ends with ${path}`);
        }
      });
    },
    { since: '1.0.0' },
  ),
  access(
    'STORE-829',
    'a call that needs a token is refused without the header Authorization',
    async (bucket, context) => {
      const browser = asBrowser(bucket, context);
      for (const [method, path] of [
        ['GET', '/bucket'],
        ['GET', `/object/authenticated/${bucket.name}/a`],
        ['DELETE', `/object/${bucket.name}/a`],
      ] as const)
        assertInvalid(
          await browser.send(method, path),
          "headers must have required property 'authorization'",
        );
    },
    { since: '1.0.0' },
  ),
  access(
    'STORE-830',
    'a trigger reads the operation of an upload by a link, in one part or several',
    async (bucket, context) => {
      const { name, service } = bucket;
      const sign = async (path: string) =>
        textAt(await service.send('POST', `/object/upload/sign/${name}/${path}`), 'token');
      const tokens = { whole: await sign('whole'), parts: await sign('parts') };
      const encode = (text: string) => Buffer.from(text).toString('base64');
      const headers = { 'Tus-Resumable': '1.0.0', 'x-signature': tokens.parts };
      const metadata = `bucketName ${encode(name)},objectName ${encode('parts')}`;
      const start = (length: string) =>
        service.send('POST', '/upload/resumable/sign', {
          headers: { ...headers, 'Upload-Length': length, 'Upload-Metadata': metadata },
        });
      const created = await start('1');
      const [upload = ''] = /\/upload\/resumable\/.*$/.exec(created.headers.get('location') ?? '') ?? [];
      await withRefusedRows(bucket, context, async () => {
        const whole = await service.send('PUT', `/object/upload/sign/${name}/whole`, {
          query: { token: tokens.whole },
          body: 'a',
          headers: { 'Content-Type': 'text/plain' },
        });
        assertRefused(whole, 400, 'InvalidParameter', 'storage.object.upload_signed');
        const part = await service.send('PATCH', upload, {
          body: 'a',
          headers: { ...headers, 'Upload-Offset': '0', 'Content-Type': 'application/offset+octet-stream' },
        });
        const empty = await start('0');
        assert.deepEqual(
          [part.text, empty.text],
          ['storage.tus.upload.part_signed', 'storage.tus.upload.create_signed'],
          'the operations of a last part and of an empty upload',
        );
      });
    },
    { since: '1.0.0' },
  ),
  access(
    'STORE-828',
    'a policy reads the operation of HEAD requests and of resumable uploads',
    async (bucket, context) => {
      const { name, service, upload } = bucket;
      await upload('a', 'a');
      const { accessToken: token } = await context.newUser();
      const wire = createWire(service.baseUrl, context.target.anonKey, context.target.fetch);
      const isNamed = `return storage.operation() = current_setting('request.headers')::json ->> 'x-audit';`;
      await withVisibility(bucket, context, isNamed, async () => {
        const send = (method: string, path: string, operation: string, request: WireRequest = {}) =>
          wire.send(method, path, {
            token,
            ...request,
            headers: { 'Tus-Resumable': '1.0.0', ...request.headers, 'X-Audit': operation },
          });
        for (const [path, operation] of HEAD_OPERATIONS) {
          assertStatus(await send('HEAD', path.replace('$bucket', name), operation), 200);
          assertStatus(await send('HEAD', path.replace('$bucket', name), 'other'), 400);
        }
        const encode = (text: string) => Buffer.from(text).toString('base64');
        const creation = {
          headers: {
            'Upload-Length': '3',
            'Upload-Metadata': `bucketName ${encode(name)},objectName ${encode('b')}`,
          },
        };
        const create = (operation: string) => send('POST', '/upload/resumable', operation, creation);
        assertStatus(await create('other'), 403);
        const created = await create('storage.tus.upload.create');
        assertStatus(created, 201);
        const [path = ''] = /\/upload\/resumable\/.*$/.exec(created.headers.get('location') ?? '') ?? [];
        const part = {
          body: 'a',
          headers: { 'Upload-Offset': '0', 'Content-Type': 'application/offset+octet-stream' },
        };
        assertStatus(await send('PATCH', path, 'other', part), 403);
        assertStatus(await send('PATCH', path, 'storage.tus.upload.part', part), 204);
        assertStatus(await send('DELETE', path, 'other'), 403);
        assertStatus(await send('DELETE', path, 'storage.tus.upload.delete'), 204);
      });
    },
    { since: '1.0.0' },
  ),
  access(
    'STORE-824',
    'a token without a role has the rights of anon',
    async (bucket, context) => {
      const { name, service, upload } = bucket;
      await upload('in/a', 'a');
      const { accessToken } = await context.newUser();
      const wire = createWire(service.baseUrl, context.target.anonKey, context.target.fetch);
      const list = (claims: Readonly<Record<string, unknown>>) =>
        wire.send('POST', `/object/list/${name}`, {
          token: context.signAgain(accessToken, claims),
          body: { prefix: 'in' },
        });
      if ((await list({})).status !== 200)
        throw new NotRunError('the target accepts no tokens of the legacy secret');
      await withPolicies(bucket, context, ['for select to anon using (bucket_id = $bucket)'], async () => {
        assert.deepEqual(namesOf((await list({ role: undefined })).json), ['a'], 'the names without a role');
        assert.deepEqual((await list({})).json, [], 'the names with a role');
      });
    },
    { since: '1.0.0' },
  ),
  access(
    'STORE-825',
    'the service role purges the cache of a bucket, an object and the project',
    async ({ name, service }) => {
      for (const path of [`/cdn/${name}/a.txt`, `/cdn/${name}`]) {
        const purged = await service.send('DELETE', path);
        const code = at(purged.json, 'code');
        if (code === 'FeatureNotEnabled' || code === 'MissingParameter')
          throw new NotRunError('purging is not enabled');
        assert.deepEqual([purged.status, at(purged.json, 'message')], [200, 'success'], 'the response');
      }
    },
    { since: '1.0.0' },
  ),
  access(
    'STORE-826',
    'a row that another program wrote is described without metadata',
    async ({ name, service }, context) => {
      if (context.target.createsTables !== true)
        throw new NotRunError('no rows may be created there without --apply-schema');
      await context.query('insert into storage.objects (bucket_id, name) values ($1, $2)', [name, 'a']);
      const { status, json } = await service.send('GET', `/object/info/${name}/a`);
      const members = ['name', 'size', 'content_type', 'cache_control', 'etag', 'metadata'];
      assert.deepEqual(
        [status, ...members.map((member) => at(json, member))],
        [200, 'a', null, null, null, null, null],
        `the status, ${members.join(', ')}`,
      );
      assertStatus(await service.send('HEAD', `/object/${name}/a`), 200);
    },
    { since: '1.0.0' },
  ),
];
