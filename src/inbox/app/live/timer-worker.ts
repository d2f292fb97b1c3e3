import { serveTimers } from 'supabase-protocol-clients/platform/worker-clock';

serveTimers(globalThis);
