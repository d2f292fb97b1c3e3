import { keptOnceLoaded } from '../../ui/state/loader.ts';

/** The screens that need a session. */
export const inbox = keptOnceLoaded(
  async () => (await import('../../features/notifications/screen/inbox-screen.tsx')).InboxScreen,
);
export const preferences = keptOnceLoaded(
  async () => (await import('../shell/preferences-route.tsx')).PreferencesRoute,
);
export const account = keptOnceLoaded(
  async () => (await import('../../features/account/account-screen.tsx')).AccountScreen,
);
