import { serveTimers } from '../../platform/worker-clock.ts';

serveTimers(globalThis);
