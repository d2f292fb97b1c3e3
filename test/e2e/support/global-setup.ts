import { buildApp, removeFolder } from './app-build.ts';

/**
 * One production build for the whole run; the workers find it by environment. Who tries one test again and again may
 * set `E2E_BUILD` to a build that is there already.
 */
export default async function globalSetup(): Promise<(() => Promise<void>) | void> {
  if (process.env.E2E_BUILD) return;
  const folder = await buildApp();
  process.env.E2E_BUILD = folder;
  return () => removeFolder(folder);
}
