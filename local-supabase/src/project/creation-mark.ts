import { access, mkdir, rm, writeFile } from 'node:fs/promises';

/**
 * Marks a folder while its files are written for the first time. If the process was killed meanwhile, the incomplete
 * files cannot be opened and contain no user data.
 */
export async function findCreation(
  dataDir: string,
): Promise<Readonly<Record<'begin' | 'end', () => Promise<void>>>> {
  const mark = `${dataDir}.creating`;
  if (await exists(mark)) {
    await rm(dataDir, { recursive: true, force: true });
    await mkdir(dataDir, { recursive: true });
  }
  return { begin: () => writeFile(mark, ''), end: () => rm(mark, { force: true }) };
}

export const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );
