import { createStore } from 'supabase-protocol-clients/platform';

/** How many sessions this page has ended beside the list of devices, which is read again with each. */
export const endedSessions = createStore(0);
