import { onTestFinished } from 'vitest';
import type { LocalSupabase } from 'local-supabase';
import { WebSocket } from 'ws';
import { createClients } from '../../src/inbox/app/data/clients.ts';
import { UserData } from '../../src/inbox/app/data/user-data.ts';
import { createMemoryStore } from '../../src/auth-client/index.ts';
import { createPlatform } from '../../src/platform/browser-platform.ts';
import type { Platform } from '../../src/platform/platform.ts';
import { adaptWebSocket } from '../../src/platform/web-socket.ts';
import { parseConfiguration } from '../../src/inbox/shared/clients/env.ts';
import { seedPassword, type TestUser } from './local-supabase.ts';

export interface InboxDeviceOptions {
  readonly supabase: LocalSupabase;
  readonly user: Pick<TestUser, 'id' | 'email'>;
  /** Settings of the build, such as `VITE_LIVE_SOURCE`. */
  readonly env?: Readonly<Record<string, string>>;
  readonly platform?: Partial<Platform>;
  /** Called with each frame that the socket receives. */
  readonly onFrame?: () => void;
  /** Called with each text frame that the socket sends. */
  readonly onSent?: (frame: string) => void;
}

/** The data layer of the application on a separate device, signed in. It is closed when the test ends. */
export async function openInboxDevice(options: InboxDeviceOptions) {
  const { supabase, user, env, platform, onFrame, onSent } = options;
  const device = createPlatform({
    fetch: supabase.fetch,
    openSocket: (url) => {
      const socket = new WebSocket(url);
      if (onFrame) socket.on('message', onFrame);
      const adapted = adaptWebSocket(socket);
      return Object.assign(adapted, {
        send(data: string | Uint8Array<ArrayBuffer>) {
          if (typeof data === 'string') onSent?.(data);
          socket.send(data);
        },
      });
    },
    ...platform,
  });
  const configuration = parseConfiguration({
    VITE_SUPABASE_URL: supabase.url,
    VITE_SUPABASE_ANON_KEY: supabase.anonKey,
    ...env,
  });
  const clients = createClients({ configuration, platform: device, store: createMemoryStore() });
  await clients.auth.start();
  await clients.auth.signInWithPassword({ email: user.email, password: seedPassword });
  const rest = await clients.loadRest();
  const userData = new UserData({
    ...clients,
    configuration,
    rest,
    userId: user.id,
    sessionId: 'device',
    checkSession: () => Promise.resolve(),
    completeAccount: () => Promise.resolve(),
  });
  onTestFinished(async () => {
    await userData.close();
    clients.close();
  });
  return { rest, inbox: userData.inbox, start: () => userData.start() };
}
