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

it('every image is pinned by a digest: those of the container, of services and of matrices', () => {
  const images = [
    ...read('container/Containerfile').matchAll(/^FROM (\S+)/gm),
    ...workflows.flatMap((path) => [
      ...read(path).matchAll(/^\s*image: (?!\$\{\{ matrix\.image \}\}|$)(\S+)/gm),
      ...read(path).matchAll(/^\s*- ([\w./-]+:[\w.-]+@\S*|postgres:\S+)$/gm),
    ]),
  ].map(([, image]) => image);
  expect(images.length).toBeGreaterThan(3);
  for (const image of images) expect(image).toMatch(/@sha256:[\da-f]{64}$/);
});

it('every program of a workflow comes from a lock file', () => {
  for (const path of workflows)
    expect(read(path)).not.toMatch(/\b(?:npx --yes|npm exec|npm i(?:nstall)? -g|curl|wget)\b/);
});

it('the identity of the release is in a job that runs nothing of the repository', () => {
  for (const path of workflows) {
    const jobs = read(path).split(/^ {2}(?=[\w-]+:\n {4})/m);
    for (const job of jobs.filter((text) => text.includes('id-token: write')))
      expect(job).not.toMatch(/actions\/checkout|npm (?:ci|test|run)|npx /);
  }
});

it('the workflow checks registry signatures and keeps a bill of materials', () => {
  const check = read('.github/workflows/check.yml');
  expect(check).toContain('npm audit signatures');
  expect(check).toMatch(/npm sbom --sbom-format cyclonedx/);
});

it.each(['package-lock.json', '.github/supabase-cli/package-lock.json'])(
  'every entry of %s that is downloaded has its integrity',
  (file) => {
    const { packages } = JSON.parse(read(file)) as {
      packages: Readonly<Record<string, { resolved?: string; integrity?: string; link?: boolean }>>;
    };
    const lacking = Object.entries(packages).filter(
      ([path, entry]) => path.includes('node_modules/') && !entry.link && !entry.integrity,
    );
    expect(lacking.map(([path]) => path)).toEqual([]);
  },
);

it('Deno, where npm fetches it for functions, has the version of the lock file', () => {
  const { packages } = JSON.parse(read('package-lock.json')) as {
    packages: Readonly<Record<string, { version?: string }>>;
  };
  const version = packages['node_modules/deno']?.version;
  expect(read('local-supabase/src/services/functions/deno/find-deno.ts')).toContain(`'deno@${version}'`);
});
