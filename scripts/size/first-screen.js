// The clients without features. /home adds the live channel's (changes, shared socket) after its first list.
export { createBrowserPlatform } from '@/platform/browser-platform.ts';
export { createAuthClient, createCookieStore } from '@/auth-client/index.ts';
export { createRestClient } from '@/rest-client/index.ts';
export { createRealtimeClient } from '@/realtime-client/index.ts';
