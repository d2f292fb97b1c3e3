// What /home takes of the clients.
export { createBrowserPlatform } from '@/platform/browser-platform.ts';
export { createAuthClient, createCookieStore } from '@/auth-client/index.ts';
export { createRestClient } from '@/rest-client/index.ts';
export { createRealtimeClient } from '@/realtime-client/index.ts';
