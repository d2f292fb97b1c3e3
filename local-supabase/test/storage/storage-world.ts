import { openDatabase } from '../../src/project/open-database.ts';
import { createGateway } from '../../src/gateway/gateway.ts';
import { listen } from '../../src/http/http-server.ts';
import { createOwnHosts } from '../../src/http/own-host.ts';
import { createTokenKeys } from '../../src/keys/keys.ts';
import { createMemoryStore } from '../../src/storage/object-store.ts';
import { createStorageService } from '../../src/storage/storage-service.ts';
import { createRestService } from '../../src/rest/rest-service.ts';
import type { RestService } from '../../src/rest/rest-service.ts';
import type { ReplayTarget } from './storage-replay.ts';

/** The embedded storage behind a gateway on a port. */
export interface StorageWorld extends ReplayTarget {
  readonly rest: RestService;
  close(): Promise<void>;
}

const NO_SERVICE = { handle: () => Promise.resolve(new Response(null, { status: 404 })) };

export async function createStorageWorld(): Promise<StorageWorld> {
  const { database } = await openDatabase({
    project: new URL('../rest/no-project/', import.meta.url),
    seed: false,
  });
  const keys = await createTokenKeys();
  const rest = await createRestService({ database, settings: {} });
  const storage = createStorageService({
    database,
    keys,
    objects: createMemoryStore(),
    now: Date.now,
    isRemovalLimited: false,
    fileSizeLimitBytes: 524_288_000,
  });
  const hosts = createOwnHosts();
  const gateway = createGateway({
    keys,
    rest,
    storage,
    auth: NO_SERVICE,
    realtime: NO_SERVICE,
    functions: NO_SERVICE,
    isForeign: hosts.isForeign,
  });
  const server = await listen(0, hosts, gateway.handle);
  return {
    url: server.url,
    rest,
    serviceKey: keys.serviceRoleKey,
    anonKey: keys.anonKey,
    jwtSecret: keys.jwtSecret,
    runSql: (sql) => database.exec(sql),
    async close() {
      await server.close();
      await rest.close();
      await database.close();
    },
  };
}
