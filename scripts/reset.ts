/** `npm run reset`: empties the embedded project's data folder; the next `npm start` creates a new project. */
import { rmSync } from 'node:fs';
import { openDataFolder } from 'local-supabase';
import { StartError } from 'local-supabase';
import { localProject } from './local-project.ts';

const { dataDir } = localProject;
try {
  // Opening the folder fails if a running server still writes to it.
  openDataFolder(dataDir).release();
  rmSync(dataDir, { recursive: true, force: true });
  console.log(`${dataDir} is empty.`);
} catch (problem) {
  if (!(problem instanceof StartError)) throw problem;
  console.error(problem.message);
  process.exit(1);
}
