/** The embedded Supabase: one project in one process. See README.md. */
export { createTokenKeys } from '../keys/keys.ts';
export type { Database, Sql } from '../database/database.ts';
export type { AuthSettings } from '../services/auth/settings.ts';
export { buildBrowserAssets, type BrowserAssetsOptions } from '../server/browser-assets.ts';
export { type ConfigReader, createConfigReader } from '../project/config-reader.ts';
export { createDatabasePool, type DatabasePool } from '../project/database-pool.ts';
export { openDataFolder, type VapidKeys } from '../project/data-folder.ts';
export { moveToLocalPort } from '../project/local-origins.ts';
export type { LocalSupabaseOptions } from '../project/options.ts';
export { readProjectConfig } from '../project/project-config.ts';
export { StartError } from '../platform/start-error.ts';
export type { RealtimeFaults } from '../services/realtime/faults.ts';
export { realisticTiming } from '../services/realtime/settings.ts';
export { createLocalSupabase, type LocalSupabase } from '../server/server.ts';
