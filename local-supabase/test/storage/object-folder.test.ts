import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createFolderStore } from '../../src/project/object-folder.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'object-folder-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

it('keeps the first uploads of a process when they arrive together', async () => {
  // Creating a deep folder gives the other uploads the time to begin before it exists.
  const deep = join(folder, ...Array.from({ length: 100 }, () => 'd'));
  const store = createFolderStore(deep);
  const bodies = Array.from({ length: 10 }, (_, index) => `body ${index}`);
  await Promise.all(
    bodies.map(async (body) => {
      const { content } = await store.receive(new Blob([body]).stream(), 100);
      await store.put(body, content);
    }),
  );
  const stored = await Promise.all(bodies.map(async (body) => (await store.get(body))?.text()));
  expect(stored).toEqual(bodies);
  expect((await readdir(deep)).filter((name) => name.startsWith('incoming-'))).toEqual([]);
});
