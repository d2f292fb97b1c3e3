import { createAuthService } from './auth/auth-service.ts';
import type { AuthService } from './auth/auth-service.ts';
import type { AuthSettings } from './auth/settings.ts';
import type { Service } from './gateway/gateway.ts';
import type { TokenKeys } from './keys.ts';
import type { OpenProject } from './open-project.ts';
import { createRealtimeService } from './realtime/realtime-service.ts';
import type { RealtimeService } from './realtime/realtime-service.ts';
import type { RealtimeSettings } from './realtime/settings.ts';
import { createRestService } from './rest.ts';
import type { RestService } from './rest.ts';

export interface ServicesOptions extends Omit<OpenProject, 'keys'> {
  readonly keys: TokenKeys;
  readonly now: () => number;
  readonly siteUrl?: string;
  readonly redirectUrls?: readonly string[];
  readonly auth?: Partial<AuthSettings>;
  readonly realtime?: Partial<RealtimeSettings>;
}

export interface Services {
  readonly auth: AuthService;
  readonly rest: RestService;
  readonly realtime: RealtimeService;
  readonly storage: Service;
  readonly functions: Service;
  close(): Promise<void>;
}

/** In development, links may lead to any port of this machine. */
const LOCAL_URLS = ['http://localhost:*/**', 'http://127.0.0.1:*/**'];
const SWEEP_INTERVAL_MS = 60_000;

/** Starts the services of a project over its one database. */
export async function createServices(options: ServicesOptions): Promise<Services> {
  const { database, connection, keys, mailbox, now, siteUrl, redirectUrls = [] } = options;
  const auth = await createAuthService({
    database,
    keys,
    mailer: mailbox,
    now,
    settings: options.auth ?? {},
    ...(siteUrl === undefined ? {} : { siteUrl }),
    redirectUrls: [...LOCAL_URLS, ...redirectUrls],
    report: console.error,
  });
  const realtime = await createRealtimeService({ database, keys, now, settings: options.realtime ?? {} });
  const rest = await createRestService({ database, connection });
  const sweeper = setInterval(() => void auth.sweep().catch(console.error), SWEEP_INTERVAL_MS);
  sweeper.unref();
  return {
    auth,
    rest,
    realtime,
    storage: missing,
    functions: missing,
    async close() {
      clearInterval(sweeper);
      await realtime.close();
      await rest.close();
    },
  };
}

const missing: Service = {
  handle: () => Promise.resolve(Response.json({ message: 'Not found' }, { status: 404 })),
};
