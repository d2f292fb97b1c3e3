import { createComponentLoader } from '../../ui/state/loader.ts';

/** The screens that need a session. */
export const inbox = createComponentLoader(
  async () => (await import('../../features/notifications/screen/inbox-screen.tsx')).InboxScreen,
);
export const preferences = createComponentLoader(
  async () => (await import('../shell/preferences-route.tsx')).PreferencesRoute,
);
export const account = createComponentLoader(
  async () => (await import('../../features/account/account-screen.tsx')).AccountScreen,
);
