import { buildApp, removeFolder } from './app-build.ts';

/**
 * One production build for the whole run; the workers find it by environment. `E2E_BUILD` names a build that exists:
 * `npm test` sets it to the build of `npm run size`.
 */
export default async function globalSetup(): Promise<(() => Promise<void>) | void> {
  if (process.env.E2E_BUILD) return;
  const folder = await buildApp();
  process.env.E2E_BUILD = folder;
  return () => removeFolder(folder);
}
