import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const root = new URL('../../', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, root), 'utf8');
const workflows = readdirSync(new URL('.github/workflows/', root)).map((name) => `.github/workflows/${name}`);

it('every action is pinned by a commit', () => {
  const actions = workflows.flatMap((path) =>
    [...read(path).matchAll(/^\s*(?:-\s+)?uses:\s*(\S+)/gm)].map(([, action = '']) => action),
  );
  expect(actions.length).toBeGreaterThan(3);
  for (const action of actions) expect(action).toMatch(/^[\w.-]+\/[\w./-]+@[\da-f]{40}$/);
});

it('every workflow may only read the repository', () => {
  for (const path of workflows) expect(read(path)).toMatch(/^permissions:\n {2}contents: read$/m);
});

it('every base image is pinned by a digest', () => {
  const images = [...read('container/Containerfile').matchAll(/^FROM (\S+)/gm)].map(([, image]) => image);
  expect(images.length).toBeGreaterThan(0);
  for (const image of images) expect(image).toMatch(/@sha256:[\da-f]{64}$/);
});

it('the workflow checks registry signatures and keeps a bill of materials', () => {
  const check = read('.github/workflows/check.yml');
  expect(check).toContain('npm audit signatures');
  expect(check).toMatch(/npm sbom --sbom-format cyclonedx/);
});

it('every entry of the lock file that is downloaded has its integrity', () => {
  const { packages } = JSON.parse(read('package-lock.json')) as {
    packages: Readonly<Record<string, { resolved?: string; integrity?: string; link?: boolean }>>;
  };
  const lacking = Object.entries(packages).filter(
    ([path, entry]) => path.includes('node_modules/') && !entry.link && !entry.integrity,
  );
  expect(lacking.map(([path]) => path)).toEqual([]);
});
