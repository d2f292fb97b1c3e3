/**
 * `npm run docs`: the site, in `dist-docs`, for any static host. `DOCS_BASE=/path/` for one that serves it below a path. With
 * `--pages` only the pages, without the API reference, the playground and the demo.
 */
import { spawnSync } from 'node:child_process';
import { buildPlayground } from './build-playground.ts';
import { buildDemo, writeOfflineWorker } from './build-demo.ts';

const base = process.env['DOCS_BASE'] ?? '/';
const outDir = 'dist-docs';

function run(command: string, args: readonly string[]): void {
  const { status } = spawnSync(command, args, { stdio: 'inherit', shell: process.platform === 'win32' });
  if (status === 0) return;
  console.error(`${[command, ...args].join(' ')} failed: the site was not built.`);
  process.exit(1);
}

if (process.argv.includes('--pages')) run('npx', ['vitepress', 'build', 'docs']);
else {
  run('npm', ['run', '-s', 'docs:api']);
  await buildPlayground('docs/public/playground-files');
  run('npx', ['vitepress', 'build', 'docs']);
  await buildDemo({ base, outDir });
  await writeOfflineWorker({ base, outDir });
}
