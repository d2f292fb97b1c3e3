/**
 * `npm run freeze`, at a release: records the checksums of all migrations, which may not change from then on. Refuses while
 * a migration of an earlier release is missing or has other content.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { changedSince, checksumsFile, checksumsOf, readMigrations } from './frozen-migrations.ts';

const migrations = readMigrations();
const changed = existsSync(checksumsFile)
  ? changedSince(readFileSync(checksumsFile, 'utf8'), migrations)
  : [];
if (changed.length === 0) {
  writeFileSync(checksumsFile, checksumsOf(migrations));
  console.log(`${Object.keys(migrations).length} migrations are frozen.`);
} else {
  console.error(`Released migrations may not change; write a new one instead: ${changed.join(', ')}`);
  process.exitCode = 1;
}
