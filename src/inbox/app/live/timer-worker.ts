import { serveTimers } from 'supabase-protocol-clients/platform';

serveTimers(globalThis);
