// The clients without features. /home adds the live channel's (changes, shared socket) after its first list.
export { createPlatform } from 'supabase-protocol-clients/platform';
export { createAuthClient, createCookieStore } from 'supabase-protocol-clients/auth-client';
export { createRestClient } from 'supabase-protocol-clients/rest-client';
export { createRealtimeClient } from 'supabase-protocol-clients/realtime-client';
