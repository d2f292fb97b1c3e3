import { screenChunk } from './screen-chunk.ts';

/** The screens that need a session. */
export const inbox = screenChunk(
  async () => (await import('../../features/notifications/screen/inbox-screen.tsx')).InboxScreen,
);
export const preferences = screenChunk(
  async () => (await import('../shell/preferences-route.tsx')).PreferencesRoute,
);
export const account = screenChunk(
  async () => (await import('../../features/account/account-screen.tsx')).AccountScreen,
);
