import { openDatabase } from '../../src/project/open-database.ts';
import { listen } from '../../src/http/http-server.ts';
import { createOwnHosts } from '../../src/http/own-host.ts';
import { createTokenKeys } from '../../src/keys/keys.ts';
import { readCaller } from '../../src/services/storage/caller.ts';
import { createMemoryStore } from '../../src/services/storage/object-store.ts';
import { createStorageService } from '../../src/services/storage/storage-service.ts';
import type { ReplayTarget } from './storage-replay.ts';

/** The embedded storage on a port without the gateway, which would resolve or reject some of the recorded paths. */
export interface StorageWorld extends ReplayTarget {
  close(): Promise<void>;
}

export async function createStorageWorld(): Promise<StorageWorld> {
  const { database } = await openDatabase({
    project: new URL('../rest/no-project/', import.meta.url),
    seed: false,
  });
  const keys = await createTokenKeys();
  const storage = createStorageService({
    database,
    keys,
    objects: createMemoryStore(),
    now: Date.now,
    isRemovalLimited: false,
    fileSizeLimitBytes: 524_288_000,
  });
  const server = await listen(0, createOwnHosts(), async (request) => {
    const token = request.headers.get('authorization')?.replace(/^Bearer\s+/i, '');
    return storage.handle(request, await readCaller(token ?? request.headers.get('apikey'), keys));
  });
  return {
    url: server.url,
    serviceKey: keys.serviceRoleKey,
    anonKey: keys.anonKey,
    jwtSecret: keys.jwtSecret,
    runSql: (sql) => database.exec(sql),
    async close() {
      await server.close();
      await database.close();
    },
  };
}
