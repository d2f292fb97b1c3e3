import { createClient } from '@supabase/supabase-js';
import { WebSocket } from 'ws';
import { beforeAll, describe, expect, it } from 'vitest';
import { ada, grace, requestApi, signIn, useLocalSupabase } from '../support/local-supabase.ts';

const supabase = useLocalSupabase();
const tokens = new Map<string, string>();

/** The vendor's own client, as a judge that is not ours. */
function storageOf(email?: string) {
  const { url, anonKey, serviceRoleKey, fetch } = supabase();
  const token = email === undefined ? serviceRoleKey : (tokens.get(email) ?? '');
  return createClient(url, email === undefined ? serviceRoleKey : anonKey, {
    accessToken: () => Promise.resolve(token),
    global: { fetch },
    realtime: { transport: WebSocket as never },
  }).storage;
}

beforeAll(async () => {
  for (const { email } of [ada, grace]) tokens.set(email, await signIn(supabase(), email));
  await storageOf().createBucket('files', { public: false, fileSizeLimit: 1000 });
  await storageOf().createBucket('open', { public: true });
  await supabase().database.exec(
    `create policy "Own folder" on storage.objects to authenticated
     using (bucket_id = 'files' and (storage.foldername(name))[1] = auth.uid()::text)
     with check (bucket_id = 'files' and (storage.foldername(name))[1] = auth.uid()::text)`,
  );
});

describe('storage', () => {
  it('keeps a file and gives it back with what was said about it', async () => {
    const files = storageOf(ada.email).from('files');
    const path = `${ada.id}/notes.txt`;
    const { error } = await files.upload(path, 'Hello', { contentType: 'text/plain', cacheControl: '3600' });
    expect(error).toBeNull();
    const { data } = await files.download(path);
    await expect(data?.text()).resolves.toBe('Hello');
    const info = await files.info(path);
    expect(info.data).toMatchObject({ size: 5, contentType: 'text/plain', cacheControl: 'max-age=3600' });
  });

  it('lets the policies decide', async () => {
    const path = `${ada.id}/secret.txt`;
    await storageOf(ada.email).from('files').upload(path, 'secret');
    expect((await storageOf(grace.email).from('files').download(path)).error).not.toBeNull();
    expect(
      (await storageOf(grace.email).from('files').upload(path, 'x', { upsert: true })).error,
    ).not.toBeNull();
    expect((await storageOf(grace.email).from('files').list(ada.id)).data).toEqual([]);
  });

  it('lists a hundred at a time, moves, copies and removes', async () => {
    const files = storageOf().from('open');
    await files.upload('a/1.txt', '1');
    expect((await files.copy('a/1.txt', 'a/2.txt')).error).toBeNull();
    expect((await files.move('a/1.txt', 'a/3.txt')).error).toBeNull();
    const names = async () => (await files.list('a')).data?.map(({ name }) => name);
    await expect(names()).resolves.toEqual(['2.txt', '3.txt']);
    await files.remove(['a/2.txt', 'a/3.txt']);
    await expect(names()).resolves.toEqual([]);
  });

  it('opens a public bucket and a signed link without a key', async () => {
    await storageOf().from('open').upload('hello.txt', 'Hello all');
    const { publicUrl } = storageOf().from('open').getPublicUrl('hello.txt').data;
    await expect((await supabase().fetch(publicUrl)).text()).resolves.toBe('Hello all');
    const path = `${ada.id}/shared.txt`;
    await storageOf(ada.email).from('files').upload(path, 'Shared');
    const { data } = await storageOf(ada.email).from('files').createSignedUrl(path, 60);
    await expect((await supabase().fetch(data?.signedUrl ?? '')).text()).resolves.toBe('Shared');
    expect((await supabase().fetch(`${data?.signedUrl}x`)).status).toBe(400);
  });

  it('takes a file by a signed upload', async () => {
    const files = storageOf(ada.email).from('files');
    const path = `${ada.id}/later.txt`;
    const { data } = await files.createSignedUploadUrl(path);
    expect((await files.uploadToSignedUrl(path, data?.token ?? '', 'Later')).error).toBeNull();
    await expect((await files.download(path)).data?.text()).resolves.toBe('Later');
  });

  it('refuses a file that is too large and a token that is none', async () => {
    const upload = await storageOf(ada.email).from('files').upload(`${ada.id}/big`, 'x'.repeat(1001));
    expect(upload.error).not.toBeNull();
    const response = await requestApi(supabase(), '/storage/v1/bucket', { token: 'none' });
    expect(response.status).toBe(400);
    await expect(response.json()).resolves.toMatchObject({ statusCode: '403', error: 'Unauthorized' });
  });
});
