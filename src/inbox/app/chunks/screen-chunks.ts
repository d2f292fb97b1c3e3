import { paths, isPublicPath, plainPath } from '../../shared/routes.ts';
import { createComponentLoader } from '../../ui/state/loader.ts';
import { account, inbox, preferences } from './signed-in-chunks.ts';

/** The public screens and the signed-in application. */
export const login = createComponentLoader(
  async () => (await import('../../features/auth/sign-in/login-screen.tsx')).LoginScreen,
);
export const signup = createComponentLoader(
  async () => (await import('../../features/auth/sign-up/signup-screen.tsx')).SignupScreen,
);
export const resetPassword = createComponentLoader(
  async () =>
    (await import('../../features/auth/reset-password/reset-password-screen.tsx')).ResetPasswordScreen,
);
export const mailLink = createComponentLoader(
  async () => (await import('../../features/auth/email-links/mail-link-screen.tsx')).MailLinkScreen,
);
export const join = createComponentLoader(
  async () => (await import('../../features/join/join-screen.tsx')).JoinScreen,
);
export const signedIn = createComponentLoader(
  async () => (await import('../shell/signed-in-app.tsx')).SignedInApp,
);

/** The client that reads and writes the signed-in user's data. */
export const importRest = () => import('../data/rest.ts');

type Chunk = () => Promise<unknown>;

const chunksByPath: Readonly<Record<string, readonly Chunk[]>> = {
  [paths.root]: [importRest, signedIn, inbox],
  [paths.home]: [importRest, signedIn, inbox],
  [paths.preferences]: [importRest, signedIn, preferences],
  [paths.account]: [importRest, signedIn, account],
  [paths.shell]: [importRest, signedIn, inbox],
  [paths.login]: [login],
  [paths.signup]: [signup],
  [paths.resetPassword]: [resetPassword],
  [paths.join]: [join],
};

/**
 * Loads the chunks of a path in parallel, ahead of rendering.
 *
 * @param isSignedIn whether a session may exist; without one, private paths lead to /login.
 * @returns settles when all of them have; a failed load surfaces when the screen renders.
 */
export function preloadPath(path: string, isSignedIn = true): Promise<unknown> {
  const target = isSignedIn || isPublicPath(path) ? plainPath(path) : paths.login;
  const chunks = chunksByPath[target] ?? (target.startsWith(`${paths.join}/`) ? [join] : []);
  return Promise.allSettled(chunks.map((load) => load()));
}

/** Preloads the code of a link on hover, focus or touch, and the code of the inbox when a form is submitted. */
export function preloadOnIntent(document: Document): void {
  const intend = ({ target }: Event) => {
    const link = target instanceof Element ? target.closest('a') : null;
    if (link && link.origin === document.location.origin) void preloadPath(link.pathname);
  };
  for (const type of ['pointerover', 'focusin', 'touchstart']) {
    document.addEventListener(type, intend, { passive: true });
  }
  document.addEventListener('submit', () => void preloadPath(paths.home));
}
