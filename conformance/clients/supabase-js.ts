/** `--client conformance/clients/supabase-js.ts`: the vendor's client as in an application. It must be installed. */
import { createClient, type SupabaseClient } from '@supabase/supabase-js';
import { WebSocket } from 'ws';
import {
  toOutcome,
  type AdaptedClient,
  type ClientAdapter,
  type ClientCommands,
  type Filter,
  type Json,
} from '../src/target/client-adapter.ts';

/** A result of supabase-js, which returns errors instead of throwing them. */
interface Result {
  readonly data: unknown;
  readonly error: { readonly message: string; readonly code?: string | undefined } | null;
}

function dataOf({ data, error }: Result): Json {
  if (error) throw Object.assign(new Error(error.message), { code: error.code });
  return data as Json;
}

type Handlers = {
  readonly [C in keyof ClientCommands]: (args: ClientCommands[C]) => Promise<Json | undefined>;
};

export function createClientAdapter(): ClientAdapter {
  return {
    name: 'supabase-js',
    async open({ url, anonKey }) {
      const client = createClient(url, anonKey, {
        auth: { persistSession: false, autoRefreshToken: true },
        realtime: { transport: WebSocket as never },
      });
      const events: string[] = [];
      client.auth.onAuthStateChange((name) => void events.push(name));
      const handlers: Handlers = {
        ...authHandlers(client, events),
        ...restHandlers(client),
        ...realtimeHandlers(client),
      };
      return {
        call: (command, args) => toOutcome(() => handlers[command](args as never)),
        async close() {
          await client.removeAllChannels();
          await client.realtime.disconnect();
          await client.auth.stopAutoRefresh();
        },
      } satisfies AdaptedClient;
    },
  };
}

function authHandlers({ auth }: SupabaseClient, events: readonly string[]) {
  return {
    signIn: async (credentials: ClientCommands['signIn']) =>
      void dataOf(await auth.signInWithPassword(credentials)),
    signUp: async (credentials: ClientCommands['signUp']) => void dataOf(await auth.signUp(credentials)),
    async signOut({ scope }: ClientCommands['signOut']) {
      const { error } = await auth.signOut({ scope: scope as 'global' });
      if (error) throw error;
      return undefined;
    },
    async getAccessToken() {
      const { data, error } = await auth.getSession();
      if (error) throw error;
      return data.session?.access_token ?? null;
    },
    getEvents: async () => [...events],
    updateUser: async ({ data }: ClientCommands['updateUser']) =>
      void dataOf(await auth.updateUser({ data })),
    requestCode: async ({ email }: ClientCommands['requestCode']) =>
      void dataOf(await auth.signInWithOtp({ email })),
    verifyCode: async ({ email, code }: ClientCommands['verifyCode']) =>
      void dataOf(await auth.verifyOtp({ type: 'email', email, token: code })),
  };
}

interface Narrowable<Q> {
  in(column: string, values: string[]): Q;
  is(column: string, value: null): Q;
  eq(column: string, value: unknown): Q;
}

/** As the vendor's documentation says, null is compared with `is`. */
function narrow<Q extends Narrowable<Q>>(query: Q, column: string, operator: string, value: Json): Q {
  if (operator === 'in') return query.in(column, value as string[]);
  return value === null ? query.is(column, null) : query.eq(column, value);
}

function restHandlers(client: SupabaseClient) {
  const read = (
    table: string,
    filters: readonly Filter[],
    options?: { readonly count: 'exact'; readonly head: true },
  ) => {
    let query = client.from(table).select('*', options);
    for (const [column, operator, value] of filters) query = narrow(query, column, operator, value);
    return query;
  };
  return {
    async select({ table, filters, isSingle = false }: ClientCommands['select']) {
      return dataOf(await (isSingle ? read(table, filters).single() : read(table, filters)));
    },
    async count({ table, filters }: ClientCommands['count']) {
      const result = await read(table, filters, { count: 'exact', head: true });
      dataOf(result);
      return result.count;
    },
    insert: async ({ table, rows }: ClientCommands['insert']) =>
      void dataOf(await client.from(table).insert([...rows])),
    async update({ table, filters, values }: ClientCommands['update']) {
      let query = client.from(table).update(values);
      for (const [column, operator, value] of filters) query = narrow(query, column, operator, value);
      dataOf(await query);
      return undefined;
    },
  };
}

function realtimeHandlers(client: SupabaseClient) {
  const changes = new Map<string, string[]>();
  return {
    async subscribe({ channel: name, table }: ClientCommands['subscribe']) {
      const received: string[] = [];
      changes.set(name, received);
      const channel = client.channel(name);
      channel.on(
        'postgres_changes',
        { event: '*', schema: 'public', table },
        ({ eventType }) => void received.push(eventType),
      );
      await new Promise<void>((resolve, reject) => {
        channel.subscribe((state, error) => {
          const status: string = state;
          if (status === 'SUBSCRIBED') resolve();
          else if (status !== 'CLOSED') reject(error ?? new Error(status));
        });
      });
      return undefined;
    },
    getChanges: async ({ channel }: ClientCommands['getChanges']) => changes.get(channel) ?? [],
    async unsubscribe({ channel }: ClientCommands['unsubscribe']) {
      const found = client.getChannels().find(({ topic }) => topic === `realtime:${channel}`);
      if (found) await client.removeChannel(found);
      return undefined;
    },
  };
}
