import { lazyScreen } from './lazy-screen.ts';

/** The screens that need a session, each in a chunk of its own. */
export const inbox = lazyScreen(
  async () => (await import('../features/notifications/inbox-screen.tsx')).InboxScreen,
);
export const preferences = lazyScreen(async () => (await import('./preferences-route.tsx')).PreferencesRoute);
export const account = lazyScreen(
  async () => (await import('../features/account/account-screen.tsx')).AccountScreen,
);
