/** `npm run build:packages`: every package as it is published, in `dist-packages/<name>`. */
import { spawnSync } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { resolve } from 'node:path';

const folder = resolve('dist-packages');
const builds = {
  'supabase-protocol-clients': ['run', 'build:lib', '--'],
  'local-supabase': ['run', '-w', 'local-supabase', 'build', '--'],
  'supabase-conformance': ['run', '-w', 'supabase-conformance', 'build', '--'],
  'inbox-sender': ['run', '-w', 'inbox-sender', 'build', '--'],
};

await rm(folder, { recursive: true, force: true });
for (const [name, command] of Object.entries(builds)) {
  const { status } = spawnSync('npm', [...command, `${folder}/${name}`], { stdio: 'inherit' });
  if (status !== 0) process.exit(1);
}
