import { WebSocket } from 'ws';
import { createAuthClient, createMemoryStore, type AuthClient } from 'supabase-protocol-clients/auth-client';
import { adaptWebSocket, createPlatform, type Platform } from 'supabase-protocol-clients/platform';
import { createRealtimeClient } from 'supabase-protocol-clients/realtime-client';
import { createPostgresChanges } from 'supabase-protocol-clients/realtime-client/postgres-changes';
import { createRestClient } from 'supabase-protocol-clients/rest-client';
import type { Database } from '../schema/schema.ts';
import {
  toOutcome,
  type AdaptedClient,
  type ClientAdapter,
  type ClientCommands,
  type Json,
} from '../target/client-adapter.ts';
import { authDeadlines, realtimeDeadlines, restDeadlines } from './tab.ts';

type Handlers = {
  readonly [C in keyof ClientCommands]: (args: ClientCommands[C]) => Promise<Json | undefined>;
};

/** The clients of this repository. */
export function createClientAdapter(): ClientAdapter {
  return {
    name: 'supabase-protocol-clients',
    async open({ url, anonKey }) {
      const platform = createPlatform({
        openSocket: (address) => adaptWebSocket(new WebSocket(address)),
      });
      const connection = { url, apiKey: anonKey, platform };
      const auth = createAuthClient({ ...connection, ...authDeadlines(), store: createMemoryStore() });
      const events: string[] = [];
      auth.onEvent(({ name }) => events.push(name));
      await auth.start();
      const realtime = openRealtime(connection, auth);
      const handlers: Handlers = {
        ...authHandlers(auth, events),
        ...restHandlers(connection, auth),
        ...realtime.handlers,
      };
      return {
        call: (command, args) => toOutcome(() => handlers[command](args as never)),
        async close() {
          realtime.close();
          auth.close();
        },
      } satisfies AdaptedClient;
    },
  };
}

/** The part of a write that this adapter uses. */
interface FilteredWrite {
  in(column: string, values: Json): FilteredWrite;
  eq(column: string, value: Json): FilteredWrite;
  execute(): Promise<unknown>;
}

interface Connection {
  readonly url: string;
  readonly apiKey: string;
  readonly platform: Platform;
}

function authHandlers(auth: AuthClient, events: readonly string[]) {
  return {
    signIn: async (credentials: ClientCommands['signIn']) =>
      void (await auth.signInWithPassword(credentials)),
    signUp: async (credentials: ClientCommands['signUp']) => void (await auth.signUp(credentials)),
    async signOut({ scope }: ClientCommands['signOut']) {
      const result = await auth.signOut({ scope: scope as 'global' });
      if (!result.revoked) throw result.cause;
      return undefined;
    },
    getAccessToken: () => auth.getAccessToken(),
    getEvents: async () => [...events],
    updateUser: async ({ data }: ClientCommands['updateUser']) => void (await auth.updateUser({ data })),
    requestCode: async ({ email }: ClientCommands['requestCode']) =>
      void (await auth.signInWithOtp({ email })),
    verifyCode: async ({ email, code }: ClientCommands['verifyCode']) =>
      void (await auth.verifyOtp({ type: 'email', email, token: code })),
  };
}

function restHandlers(connection: Connection, { getAccessToken }: AuthClient) {
  const rest = createRestClient<Database>({ ...connection, ...restDeadlines(), getAccessToken });
  const table = (name: string) => rest.from(name as 'notifications');
  return {
    async select({ table: name, filters, isSingle = false }: ClientCommands['select']) {
      let query = table(name).select('*');
      for (const [column, operator, value] of filters)
        query =
          operator === 'in'
            ? query.in(column as 'id', value as string[])
            : query.eq(column as 'id', value as string);
      return (await (isSingle ? query.single().execute() : query.execute())) as unknown as Json;
    },
    async count({ table: name, filters }: ClientCommands['count']) {
      let query = table(name).count();
      for (const [column, operator, value] of filters)
        query =
          operator === 'in'
            ? query.in(column as 'id', value as string[])
            : query.eq(column as 'id', value as string);
      return query.execute();
    },
    async insert({ table: name, rows }: ClientCommands['insert']) {
      await table(name)
        .insert(rows as never)
        .execute();
      return undefined;
    },
    async update({ table: name, filters, values }: ClientCommands['update']) {
      // A write without a filter has no `execute()` in its type and rejects at run time.
      let query = table(name).update(values) as unknown as FilteredWrite;
      for (const [column, operator, value] of filters)
        query = operator === 'in' ? query.in(column, value) : query.eq(column, value);
      await query.execute();
      return undefined;
    },
  };
}

const quick = { reconnectDelaysMs: [100], leaveGraceMs: 50 };

function openRealtime(connection: Connection, { getAccessToken, onTokenChange }: AuthClient) {
  const realtime = createRealtimeClient<Database>({
    ...connection,
    getAccessToken,
    onTokenChange,
    settings: { ...quick, ...realtimeDeadlines() },
  });
  const changes = new Map<string, string[]>();
  const endings = new Map<string, () => void>();
  return {
    close: () => realtime.close(),
    handlers: {
      async subscribe({ channel: name, table }: ClientCommands['subscribe']) {
        const channel = realtime.channel(name);
        const received: string[] = [];
        changes.set(name, received);
        createPostgresChanges(channel).on({ table: table as 'notifications' }, ({ type }) =>
          received.push(type),
        );
        await new Promise<void>((resolve, reject) => {
          const look = () => {
            const { status, error } = channel.getSnapshot();
            if (status === 'live') resolve();
            else if (status === 'failed') reject(error ?? new Error('The subscription failed'));
          };
          channel.subscribe(look);
          endings.set(name, channel.join());
          look();
        });
        return undefined;
      },
      getChanges: async ({ channel }: ClientCommands['getChanges']) => changes.get(channel) ?? [],
      async unsubscribe({ channel }: ClientCommands['unsubscribe']) {
        endings.get(channel)?.();
        return undefined;
      },
    },
  };
}
