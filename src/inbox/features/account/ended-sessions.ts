import { createObservable } from 'supabase-protocol-clients/platform';

/** How many sessions this page has ended; the list of devices is read again after each. */
export const endedSessions = createObservable(0);
