import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createLocalSupabase, readProjectConfig } from '../src/entries/index.ts';

let project: string;
const configure = (allowed: string) =>
  writeFile(
    join(project, 'supabase/config.toml'),
    `[storage.buckets.images]\npublic = true\nallowed_mime_types = ["${allowed}"]\nobjects_path = "./images"`,
  );
const start = () => createLocalSupabase({ ...readProjectConfig({ project }).options, project });

beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), 'local-supabase-buckets-'));
  await mkdir(join(project, 'supabase/images/a folder'), { recursive: true });
  await writeFile(join(project, 'supabase/images/a folder/dot.svg'), '<svg/>');
});
afterAll(() => rm(project, { recursive: true, force: true }));

it('the files of objects_path become objects of their bucket', async () => {
  await configure('image/*');
  const supabase = await start();
  const response = await supabase.fetch(`${supabase.url}/storage/v1/object/public/images/a%20folder/dot.svg`);
  expect(response.headers.get('content-type')).toBe('image/svg+xml; charset=utf-8');
  expect(await response.text()).toBe('<svg/>');
  await supabase.close();
});

it('a file that the bucket rejects is reported by name', async () => {
  await configure('image/png');
  await expect(start()).rejects.toThrow(/dot\.svg is refused by the bucket images: .*mime/);
});
