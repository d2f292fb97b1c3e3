import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createLocalSupabase } from '../src/server.ts';
import { StartError } from '../src/http/start-error.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'local-supabase-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe('an embedded Supabase in a folder', () => {
  it('takes over the lock of a crashed server, and belongs to one at a time', async () => {
    await writeFile(join(folder, 'lock'), '999999999');
    const supabase = await createLocalSupabase({ dataDir: folder });
    await expect(supabase.database.query('select 1 as one')).resolves.toEqual([{ one: 1 }]);
    await expect(createLocalSupabase({ dataDir: folder })).rejects.toThrow(
      `The data folder ${folder} is in use by the process ${process.pid}`,
    );
    await supabase.close();
  });

  it('takes over the lock of an earlier container, in which the process had the same number', async () => {
    await writeFile(join(folder, 'lock'), `${process.pid} ${Date.now() - 86_400_000}`);
    const supabase = await createLocalSupabase({ dataDir: folder });
    await expect(supabase.database.query('select 1 as one')).resolves.toEqual([{ one: 1 }]);
    await supabase.close();
  });

  it('begins anew where the first start was killed while it wrote the files of the database', async () => {
    await mkdir(join(folder, 'postgres'));
    await writeFile(join(folder, 'postgres/PG_VERSION'), '17');
    await writeFile(join(folder, 'postgres.creating'), '');
    const supabase = await createLocalSupabase({ dataDir: folder });
    await expect(supabase.database.query('select 1 as one')).resolves.toEqual([{ one: 1 }]);
    await supabase.close();
    await expect(readdir(folder)).resolves.not.toContain('postgres.creating');
  });

  it('reports in one line that the keys or the database are corrupt', async () => {
    await (await createLocalSupabase({ dataDir: folder })).close();
    const keys = await readFile(join(folder, 'keys.json'));
    for (const [file, content] of [
      ['keys.json', '{"keys":'],
      ['postgres/global/pg_control', 'garbage'],
    ] as const) {
      await writeFile(join(folder, 'keys.json'), keys);
      await writeFile(join(folder, file), content);
      const problem = await createLocalSupabase({ dataDir: folder }).catch((error: unknown) => error);
      expect(problem).toBeInstanceOf(StartError);
      expect((problem as StartError).message).toMatch(
        /^[^\n]*corrupt[^\n]* Nothing was changed\. To go on, rename [^\n]*$/,
      );
      await expect(readdir(folder)).resolves.not.toContain('lock');
    }
  });
});
