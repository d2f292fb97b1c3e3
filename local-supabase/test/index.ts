/** Test helpers for the tests and measurements of other parts: raw sockets, worlds, and single services. */
export { createPostgRest } from '../src/services/rest/postgrest.ts';
export { createRestService } from '../src/services/rest/rest-service.ts';
export { runRetention } from '../src/database/upkeep.ts';
export type { PgliteDatabase } from '../src/database/pglite-database.ts';
export { openProject } from '../src/project/open-project.ts';
export { readProjectSql } from '../src/project/project-sql.ts';
export { connectRawClient, type RawClient } from './realtime/raw-client.ts';
export { ADA, BOB, createRealtimeWorld, type RealtimeWorld } from './realtime/realtime-world.ts';
export { createReplayWorld } from './rest/replay-world.ts';
export { startWorkerSite, type WorkerSite } from './browser/worker-site.ts';
