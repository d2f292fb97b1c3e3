import { beforeAll, describe, expect, it } from 'vitest';
import { createMemoryStore } from '../src/services/storage/object-store.ts';
import { createStorageService } from '../src/services/storage/storage-service.ts';
import { ada, grace, requestApi, useLocalSupabase } from '../../test/support/local-supabase.ts';
import { useVendorStorage } from './storage/vendor-storage.ts';

const supabase = useLocalSupabase({ port: 0 });
const { storageOf, tokens } = useVendorStorage(supabase);

beforeAll(async () => {
  await storageOf().createBucket('files', { public: false, fileSizeLimit: 1000 });
  await storageOf().createBucket('open', { public: true });
  await supabase().database.exec(
    `create policy "Own folder" on storage.objects to authenticated
     using (bucket_id = 'files' and (storage.foldername(name))[1] = auth.uid()::text)
     with check (bucket_id = 'files' and (storage.foldername(name))[1] = auth.uid()::text)`,
  );
});

describe('storage', () => {
  it('sets what triggers and policies read of the request, as the service does', async () => {
    const { database } = supabase();
    await database.exec(`
      create table public.seen (settings jsonb);
      create function public.look() returns trigger language plpgsql security definer as $$ begin
        insert into public.seen select jsonb_object_agg(n, current_setting(n, true)) from unnest(array['request.headers',
          'request.method', 'request.path', 'request.jwt', 'request.jwt.claim.sub', 'storage.operation']) n;
        return new;
      end $$;
      create trigger look after insert on storage.objects for each row execute function public.look();
      create policy "Listed only" on storage.objects for select to authenticated
        using (bucket_id = 'open' and storage.allow_only_operation('object.list'))`);
    const token = tokens.get(ada.email) ?? '';
    const path = `${ada.id}/seen.txt`;
    await storageOf(ada.email).from('files').upload(path, 'Hello', { contentType: 'text/plain' });
    const [seen] = await database.query<{ settings: Record<string, string> }>('select * from public.seen');
    const { 'request.headers': headers = '{}', ...settings } = seen?.settings ?? {};
    expect(settings).toEqual({
      'request.method': 'POST',
      'request.path': `/object/files/${path}`,
      'request.jwt': token,
      'request.jwt.claim.sub': ada.id,
      'storage.operation': 'storage.object.upload',
    });
    expect(JSON.parse(headers)).toMatchObject({
      authorization: `Bearer ${token}`,
      'content-type': 'text/plain',
    });
    await storageOf().from('open').upload('listed.txt', 'x');
    const open = storageOf(ada.email).from('open');
    expect((await open.list()).data?.map(({ name }) => name)).toContain('listed.txt');
    expect((await open.createSignedUrl('listed.txt', 60)).error).not.toBeNull();
    await database.exec(
      'drop trigger look on storage.objects; drop table public.seen; drop policy "Listed only" on storage.objects',
    );
  });

  it('names the operation of each route', async () => {
    const { database, url, anonKey, fetch } = supabase();
    await database.exec(`
      create table public.operations (name text);
      create function public.note() returns boolean language plpgsql security definer as $$ begin
        insert into public.operations values (storage.operation()); return true; end $$;
      create function public.note_write() returns trigger language plpgsql as $$ begin
        perform public.note(); return null; end $$;
      create trigger noted after insert or update on storage.objects execute function public.note_write();
      create policy noted on storage.objects to authenticated using (bucket_id = 'named' and public.note());
      create policy noted on storage.buckets to authenticated using (id = 'named' and public.note())`);
    await storageOf().createBucket('named', { public: false });
    const headers = { apikey: anonKey, authorization: `Bearer ${tokens.get(ada.email) ?? ''}` };
    const operationsOf = async (method: string, path: string, body?: unknown) => {
      const response = await fetch(`${url}/storage/v1${path}`, {
        method,
        headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const rows = await database.query<{ name: string }>('delete from public.operations returning name');
      return [response.status, ...new Set(rows.map(({ name }) => name))];
    };
    const to = (destinationKey: string) => ({ bucketId: 'named', sourceKey: 'a', destinationKey });
    const requests: readonly (readonly [method: string, path: string, operation: string, body?: unknown])[] =
      [
        ['GET', '/bucket', 'storage.bucket.list'],
        ['GET', '/bucket/named', 'storage.bucket.get'],
        ['PUT', '/bucket/named', 'storage.bucket.update', { public: false }],
        ['POST', '/object/named/a', 'storage.object.upload', {}],
        ['PUT', '/object/named/a', 'storage.object.upload_update', {}],
        ['GET', '/object/named/a', 'storage.object.get_authenticated'],
        ['HEAD', '/object/named/a', 'object.head_authenticated_info'],
        ['GET', '/object/authenticated/named/a', 'storage.object.get_authenticated'],
        ['GET', '/object/info/named/a', 'object.get_authenticated_info'],
        ['POST', '/object/list/named', 'storage.object.list', { prefix: '' }],
        ['POST', '/object/list-v2/named', 'storage.object.list_v2', {}],
        ['POST', '/object/sign/named/a', 'storage.object.sign', { expiresIn: 60 }],
        ['POST', '/object/sign/named', 'storage.object.sign_many', { expiresIn: 60, paths: ['a'] }],
        ['POST', '/object/copy', 'storage.object.copy', to('b')],
        ['POST', '/object/move', 'storage.object.move', to('c')],
        ['DELETE', '/object/named/c', 'storage.object.delete'],
        ['DELETE', '/object/named', 'storage.object.delete_many', { prefixes: ['b'] }],
        ['DELETE', '/bucket/named', 'storage.bucket.delete'],
      ];
    for (const [method, path, operation, body] of requests)
      expect([method, path, ...(await operationsOf(method, path, body))]).toEqual([
        method,
        path,
        200,
        operation,
      ]);
    await database.exec(`drop policy noted on storage.objects; drop policy noted on storage.buckets;
      drop trigger noted on storage.objects; drop table public.operations`);
  });

  it('has the functions that projects call by SQL, and refuses to delete rows by SQL', async () => {
    const { database } = supabase();
    await storageOf().createBucket('found', { public: true });
    const names = ['x.txt', 'A/b.txt', 'a/c.txt', 'B.png', 'a-b', 'z/y/2'];
    for (const name of names) await storageOf().from('found').upload(name, 'Hello');
    const found = async (...parameters: readonly string[]) =>
      (
        await database.query<{ name: string }>(
          `select name from storage.search('', 'found', ${parameters.join()})`,
        )
      ).map(({ name }) => name);
    await expect(found('100')).resolves.toEqual(['a-b', 'A', 'B.png', 'x.txt', 'z']);
    await expect(found('2', '1', '1')).resolves.toEqual(['A', 'B.png']);
    await expect(found("search => 'a'", "sortorder => 'desc'")).resolves.toEqual(['A', 'a-b']);
    await expect(
      database.query(`select size from storage.get_size_by_bucket() where bucket_id = 'found'`),
    ).resolves.toEqual([{ size: 30 }]);
    await expect(
      database.query(`select storage.can_insert_object('found', 'new', null, '{}')`),
    ).rejects.toMatchObject({ code: 'PT200' });
    for (const table of ['objects', 'buckets'])
      await expect(database.query(`delete from storage.${table}`)).rejects.toMatchObject({ code: '42501' });
    expect((await storageOf().emptyBucket('found')).error).toBeNull();
    expect((await storageOf().deleteBucket('found')).error).toBeNull();
  });

  it('enforces the policies', async () => {
    const path = `${ada.id}/secret.txt`;
    await storageOf(ada.email).from('files').upload(path, 'secret');
    expect((await storageOf(grace.email).from('files').download(path)).error).not.toBeNull();
    expect(
      (await storageOf(grace.email).from('files').upload(path, 'x', { upsert: true })).error,
    ).not.toBeNull();
    expect((await storageOf(grace.email).from('files').list(ada.id)).data).toEqual([]);
  });

  it.each([
    ['text/xsl', 'sandbox'],
    ['application/xhtml+xml', 'sandbox'],
    ['image/svg+xml', 'sandbox'],
    ['application/pdf', 'sandbox'],
    ['text/javascript', 'sandbox'],
    ['application/x-unheard-of', 'sandbox'],
    ['image/png', null],
    ['audio/mpeg', null],
    ['video/mp4', null],
    ['text/plain; charset=utf-8', null],
  ])('keeps the scripts of an uploaded %s from acting as a page of its host', async (contentType, policy) => {
    await storageOf().from('open').upload('page', '<script></script>', { contentType, upsert: true });
    const { headers } = await requestApi(supabase(), '/storage/v1/object/public/open/page');
    expect(headers.get('content-security-policy')).toBe(policy);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
  });

  it('serves an uploaded page as text, as the service does', async () => {
    await storageOf()
      .from('open')
      .upload('page.html', '<script></script>', { contentType: 'text/html; charset=utf-8' });
    const { headers } = await requestApi(supabase(), '/storage/v1/object/public/open/page.html');
    expect([headers.get('content-type'), headers.get('x-content-type-options')]).toEqual([
      'text/plain',
      'nosniff',
    ]);
  });

  it('refuses to sign an upload that would replace an object that the caller may not update', async () => {
    const [path, free] = [`${ada.id}/mine.txt`, `${ada.id}/drop/mine.txt`];
    await supabase().database.exec(
      `create policy "Drop box" on storage.objects for insert to authenticated with check (bucket_id = 'files')`,
    );
    await storageOf(ada.email).from('files').upload(path, 'Mine');
    const strange = storageOf(grace.email).from('files');
    expect((await strange.createSignedUploadUrl(path, { upsert: true })).error).toMatchObject({
      message: 'new row violates row-level security policy',
    });
    expect((await strange.createSignedUploadUrl(free)).error).toBeNull();
    const own = await storageOf(ada.email).from('files').createSignedUploadUrl(path, { upsert: true });
    await storageOf(ada.email)
      .from('files')
      .uploadToSignedUrl(path, own.data?.token ?? '', 'Newer');
    await expect((await storageOf(ada.email).from('files').download(path)).data?.text()).resolves.toBe(
      'Newer',
    );
    await supabase().database.exec('drop policy "Drop box" on storage.objects');
  });

  it('refuses an upload by a link for a download', async () => {
    await storageOf().createBucket('upload');
    await storageOf().from('upload').upload('open/new.txt', 'Old');
    const { data } = await storageOf().from('upload').createSignedUrl('open/new.txt', 60);
    const token = new URL(data?.signedUrl ?? '').searchParams.get('token') ?? '';
    const upload = await storageOf().from('open').uploadToSignedUrl('new.txt', token, 'New');
    expect(upload.error).toMatchObject({ message: 'Token is not scoped for upload' });
  });

  it('keeps only the bytes of existing objects', async () => {
    const objects = createMemoryStore();
    const kept = new Set<string>();
    const { database, keys } = supabase();
    const service = createStorageService({
      database,
      keys,
      now: Date.now,
      objects: {
        ...objects,
        async put(version, bytes) {
          kept.add(version);
          await objects.put(version, bytes);
        },
        async remove(version) {
          kept.delete(version);
          await objects.remove(version);
        },
      },
    });
    const ask = (method: string, path: string, body?: string, headers: Record<string, string> = {}) =>
      service.handle(
        new Request(`http://storage.test/storage/v1/object/${path}`, { method, headers, body: body ?? null }),
        { claims: { role: 'service_role' }, token: 'token' },
      );
    for (const body of ['1', '2', '3']) {
      expect((await ask('POST', 'open/kept.txt', body, { 'x-upsert': 'true' })).status).toBe(200);
      expect(kept.size).toBe(1);
    }
    await expect((await ask('GET', 'open/kept.txt')).text()).resolves.toBe('3');
    expect((await ask('PUT', 'open/kept.txt', '4')).status).toBe(200);
    expect((await ask('POST', 'open/kept.txt', '5')).status).toBe(400);
    expect(kept.size).toBe(1);
    expect((await ask('DELETE', 'open/kept.txt')).status).toBe(200);
    expect(kept.size).toBe(0);
  });

  it('stores a form that has anything between its boundaries', async () => {
    const partBytes = 1024 * 1024;
    const content = new Uint8Array(3 * partBytes + 17);
    const near = new TextEncoder().encode('\r\n--\r\n------formdata-undici-0\r\n-');
    for (let at = 0; at + near.length < content.length; at += partBytes - 9) content.set(near, at);
    const form = new FormData();
    form.append('cacheControl', '60');
    form.append('metadata', '{"a":1}');
    form.append('', new Blob([content], { type: 'Image/PNG' }), 'x;"y".png');
    const { url, serviceRoleKey: apikey, fetch } = supabase();
    const send = (init: RequestInit) =>
      fetch(`${url}/storage/v1/object/open/form.png`, { headers: { apikey }, ...init });
    expect((await send({ method: 'POST', body: form })).status).toBe(200);
    const read = await send({});
    expect(read.headers.get('content-type')).toBe('image/png');
    expect(read.headers.get('cache-control')).toBe('max-age=60');
    expect(Buffer.from(await read.arrayBuffer()).equals(content)).toBe(true);
  });

  it('refuses uploads that it cannot parse or could not serve', async () => {
    const post = async (path: string, body: string | FormData, contentType?: string) => {
      const { url, serviceRoleKey: apikey, fetch } = supabase();
      const headers = { apikey, ...(contentType && { 'content-type': contentType }) };
      const response = await fetch(`${url}/storage/v1${path}`, { method: 'POST', headers, body });
      return [response.status, ((await response.json()) as { statusCode: string }).statusCode];
    };
    const json = 'application/json';
    for (const body of ['{', 'null', '"text"', '{"limit": -1}'])
      expect(await post('/object/list/open', body, json)).toEqual([400, '400']);
    expect(await post('/bucket', '{', json)).toEqual([400, '400']);
    expect(await post('/object/open/form', 'no form', 'multipart/form-data; boundary=x')).toEqual([
      400,
      '400',
    ]);
    for (const field of ['contentType', 'cacheControl']) {
      const form = new FormData();
      form.append(field, 'text/plain\nx: y');
      form.append('', new Blob(['x']), 'file');
      expect(await post('/object/open/form', form)).toEqual([400, '400']);
    }
  });

  it("reads a bucket's limit as text with decimal units, as the storage service does", async () => {
    await storageOf().createBucket('sized', { public: false });
    const limitOf = async () => (await storageOf().getBucket('sized')).data?.file_size_limit;
    for (const [text, bytes] of [
      ['20mb', 20_000_000],
      ['20MB', 20_000_000],
      ['1.5kb', 1500],
      ['1234567b', 1_230_000],
    ] as const) {
      const { error } = await storageOf().updateBucket('sized', { public: false, fileSizeLimit: text });
      expect([text, error, await limitOf()]).toEqual([text, null, bytes]);
    }
    for (const text of ['20MiB', '20m', '20 mb', 'mb']) {
      const { error } = await storageOf().updateBucket('sized', { public: false, fileSizeLimit: text });
      expect([text, error?.message]).toEqual([text, expect.stringContaining('must match pattern')]);
    }
    expect(await limitOf()).toBe(1_230_000);
  });

  it('an update of a bucket keeps limits that it omits, and null removes them', async () => {
    const allowedMimeTypes = ['image/png'];
    await storageOf().createBucket('limited', { public: false, fileSizeLimit: 1000, allowedMimeTypes });
    const update = async (options: object) => {
      await storageOf().updateBucket('limited', options as { public: boolean });
      const { data } = await storageOf().getBucket('limited');
      return [data?.public, data?.file_size_limit, data?.allowed_mime_types];
    };
    expect(await update({ public: true })).toEqual([true, 1000, ['image/png']]);
    expect(await update({ fileSizeLimit: null })).toEqual([true, null, ['image/png']]);
    expect(await update({ allowedMimeTypes: null })).toEqual([true, null, null]);
  });

  const changeLimit = async (limit: number | string, fileSizeLimitBytes?: number) => {
    const { database, keys } = supabase();
    const service = createStorageService({
      database,
      keys,
      objects: createMemoryStore(),
      now: Date.now,
      fileSizeLimitBytes,
    });
    const request = new Request('http://x/storage/v1/bucket/files', {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ file_size_limit: limit }),
    });
    const response = await service.handle(request, { claims: { role: 'service_role' }, token: 'token' });
    return response.json() as Promise<unknown>;
  };

  it("refuses a bucket's limit over that of the project", async () => {
    expect(await changeLimit('1.01kb', 1000)).toMatchObject({ statusCode: '413' });
  });

  it("refuses a bucket's limit over that of resumable uploads in a project without a limit", async () => {
    const options = await requestApi(supabase(), '/storage/v1/upload/resumable', { method: 'OPTIONS' });
    const maxBytes = Number(options.headers.get('tus-max-size'));
    expect(await changeLimit(maxBytes + 1)).toMatchObject({ statusCode: '413' });
    expect(await changeLimit(maxBytes)).toMatchObject({ message: 'Successfully updated' });
    expect(await changeLimit(1000)).toMatchObject({ message: 'Successfully updated' });
  });

  it('a moved object has no X-Robots-Tag of its upload, as in the service', async () => {
    const path = '/storage/v1/object/open/tagged.txt';
    const { serviceRoleKey, url, fetch } = supabase();
    const headers = { apikey: serviceRoleKey, authorization: `Bearer ${serviceRoleKey}` };
    const upload = { ...headers, 'content-type': 'text/plain', 'x-robots-tag': 'noindex' };
    await fetch(url + path, { method: 'POST', body: 'x', headers: upload });
    const robotsOf = async (object: string) =>
      (await fetch(url + object, { headers })).headers.get('x-robots-tag');
    expect(await robotsOf(path)).toBe('noindex');
    await storageOf().from('open').move('tagged.txt', 'moved.txt');
    expect(await robotsOf('/storage/v1/object/open/moved.txt')).toBe('none');
  });

  it('HEAD has the default rules for robots of each object, as in the service', async () => {
    const { serviceRoleKey, url, fetch } = supabase();
    const headers = { apikey: serviceRoleKey, authorization: `Bearer ${serviceRoleKey}` };
    const upload = { ...headers, 'content-type': 'text/plain', 'x-robots-tag': 'noindex' };
    await fetch(`${url}/storage/v1/object/open/head.txt`, { method: 'POST', body: 'x', headers: upload });
    const robotsOf = async (method: string, route: string) =>
      (await fetch(`${url}/storage/v1/object/${route}open/head.txt`, { method, headers })).headers.get(
        'x-robots-tag',
      );
    for (const route of ['', 'authenticated/', 'public/'])
      expect([await robotsOf('GET', route), await robotsOf('HEAD', route)]).toEqual(['noindex', 'none']);
  });

  it('refuses a file that is too large and a malformed token', async () => {
    const upload = await storageOf(ada.email).from('files').upload(`${ada.id}/big`, 'x'.repeat(1001));
    expect(upload.error).not.toBeNull();
    const response = await requestApi(supabase(), '/storage/v1/bucket', { token: 'none' });
    expect(response.status).toBe(400);
    await expect(response.json()).resolves.toMatchObject({ statusCode: '403', error: 'Unauthorized' });
  });
});
