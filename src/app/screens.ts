import { lazyScreen } from './lazy-screen.ts';
import { paths } from './routes.ts';
import { account, inbox, preferences } from './signed-in-screens.ts';

/** The screens outside, and the application inside, each in a chunk of its own. */
export const login = lazyScreen(async () => (await import('../features/auth/login-screen.tsx')).LoginScreen);
export const signup = lazyScreen(
  async () => (await import('../features/auth/signup-screen.tsx')).SignupScreen,
);
export const resetPassword = lazyScreen(
  async () => (await import('../features/auth/reset-password-screen.tsx')).ResetPasswordScreen,
);
export const join = lazyScreen(async () => (await import('../features/join/join-screen.tsx')).JoinScreen);
export const signedIn = lazyScreen(async () => (await import('./signed-in-app.tsx')).SignedInApp);

interface Preloadable {
  readonly preload: () => void;
}

const screensByPath: Readonly<Record<string, readonly Preloadable[]>> = {
  [paths.root]: [signedIn, inbox],
  [paths.home]: [signedIn, inbox],
  [paths.preferences]: [signedIn, preferences],
  [paths.account]: [signedIn, account],
  [paths.shell]: [signedIn],
  [paths.login]: [login],
  [paths.signup]: [signup],
  [paths.resetPassword]: [resetPassword],
  [paths.join]: [join],
};

/** Loads the code for a path ahead of the rendering, all of its chunks at once. */
export function preloadPath(path: string): void {
  const screens = screensByPath[path] ?? (path.startsWith(`${paths.join}/`) ? [join] : []);
  for (const { preload } of screens) preload();
}

/** Loads the code behind a link as soon as somebody points at it or focuses it. */
export function preloadOnIntent(document: Document): void {
  const intend = ({ target }: Event) => {
    const link = target instanceof Element ? target.closest('a') : null;
    if (link && link.origin === document.location.origin) preloadPath(link.pathname);
  };
  for (const type of ['pointerover', 'focusin', 'touchstart']) {
    document.addEventListener(type, intend, { passive: true });
  }
}
