import { build } from 'esbuild';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { json } from '../support/wire/replies.ts';

/** Loads the client with this value of `NODE_ENV`. */
async function loadIn(mode: string) {
  vi.resetModules();
  vi.stubEnv('NODE_ENV', mode);
  const { createRecordingClient } = await import('./support/recording-client.ts');
  return (...replies: Response[]) => createRecordingClient(replies).db.from('notes');
}
const warnings: unknown[] = [];
beforeEach(() => {
  warnings.length = 0;
  vi.spyOn(console, 'warn').mockImplementation((text) => void warnings.push(text));
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

test('during development a program that takes `data` from rows is warned once', async () => {
  const notes = await loadIn('development');
  const rows = (await notes(json([{ id: '1' }])).select('id')) as { data?: unknown };
  const row = (await notes(json({ id: '1' }))
    .select('id')
    .single()) as { data?: unknown };
  expect(warnings).toEqual([]);
  expect([rows.data, row.data]).toEqual([undefined, undefined]);
  expect(warnings).toEqual([expect.stringContaining('const rows = await')]);
});

test('rows are the same as without the warning: their keys, their JSON, a column named data', async () => {
  const notes = await loadIn('development');
  const rows = await notes(json([{ id: '1' }])).select('id');
  expect(rows).toEqual([{ id: '1' }]);
  expect([Object.keys(rows), JSON.stringify(rows), [...rows]]).toEqual([
    ['0'],
    '[{"id":"1"}]',
    [{ id: '1' }],
  ]);
  const row = await notes(json({ data: 5 }))
    .select('data')
    .single();
  expect(row.data).toBe(5);
  expect(await notes(json([])).select('id').maybeSingle()).toBeNull();
  expect(warnings).toEqual([]);
});

test('in production there is no warning, and a bundle has no code of it', async () => {
  const notes = await loadIn('production');
  const rows = (await notes(json([{ id: '1' }])).select('id')) as { data?: unknown };
  expect([rows.data, warnings]).toEqual([undefined, []]);
  const bytesOf = async (mode: string) => {
    const { outputFiles } = await build({
      entryPoints: ['src/rest-client/index.ts'],
      define: { 'process.env.NODE_ENV': JSON.stringify(mode) },
      bundle: true,
      minify: true,
      format: 'esm',
      write: false,
    });
    return outputFiles[0]?.text ?? '';
  };
  expect(await bytesOf('development')).toContain('const rows = await');
  const bundle = await bytesOf('production');
  expect(bundle).not.toContain('const rows = await');
  expect(bundle).not.toContain('NODE_ENV');
});
