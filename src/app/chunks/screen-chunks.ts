import { isPublicPath, paths, plainPath } from '../../shared/routes.ts';
import { screenChunk } from './screen-chunk.ts';
import { account, inbox, preferences } from './signed-in-chunks.ts';

/** The screens outside, and the application inside. */
export const login = screenChunk(
  async () => (await import('../../features/auth/sign-in/login-screen.tsx')).LoginScreen,
);
export const signup = screenChunk(
  async () => (await import('../../features/auth/sign-up/signup-screen.tsx')).SignupScreen,
);
export const resetPassword = screenChunk(
  async () =>
    (await import('../../features/auth/reset-password/reset-password-screen.tsx')).ResetPasswordScreen,
);
export const join = screenChunk(async () => (await import('../../features/join/join-screen.tsx')).JoinScreen);
export const signedIn = screenChunk(async () => (await import('../shell/signed-in-app.tsx')).SignedInApp);

/** What reads and writes the data of who is signed in. */
export const dataClients = () => import('../data/data-clients.ts');

type Chunk = () => Promise<unknown>;

const chunksByPath: Readonly<Record<string, readonly Chunk[]>> = {
  [paths.root]: [dataClients, signedIn, inbox],
  [paths.home]: [dataClients, signedIn, inbox],
  [paths.preferences]: [dataClients, signedIn, preferences],
  [paths.account]: [dataClients, signedIn, account],
  [paths.shell]: [dataClients, signedIn],
  [paths.login]: [login],
  [paths.signup]: [signup],
  [paths.resetPassword]: [resetPassword],
  [paths.join]: [join],
};

/**
 * Loads the code for a path ahead of the rendering, all of its chunks at once.
 *
 * @param isSignedIn whether somebody may be: the others are led to /login.
 * @returns settles with the last of them; failing is left to the rendering.
 */
export function preloadPath(path: string, isSignedIn = true): Promise<unknown> {
  const target = isSignedIn || isPublicPath(path) ? plainPath(path) : paths.login;
  const chunks = chunksByPath[target] ?? (target.startsWith(`${paths.join}/`) ? [join] : []);
  return Promise.allSettled(chunks.map((load) => load()));
}
