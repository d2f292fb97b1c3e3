import {
  createClient,
  type RealtimeChannel as VendorChannel,
  type SupabaseClient,
} from '@supabase/supabase-js';
import { beforeAll, expect, onTestFinished } from 'vitest';
import { createMemoryStore } from '../../../src/auth-client/index.ts';
import { createPlatform } from '../../../src/platform/index.ts';
import type { Channel } from '../../../src/realtime-client/index.ts';
import { createSupabaseClients, type SupabaseClients } from '../../../src/clients/supabase-clients.ts';
import { ada, seedPassword, useLocalSupabase } from '../../support/local-supabase.ts';
import { openNodeSocket } from '../../support/node-socket.ts';
import { transport } from './transport.ts';
import { compatLibrary } from './auth-tools.ts';
import { type MigratingRow } from './page.ts';

/** Waits until `read` returns a value, and returns it. */
export async function eventually<T>(read: () => T | undefined | null | false): Promise<T> {
  await expect.poll(() => Boolean(read())).toBe(true);
  return read() as T;
}

/** Subscribes, and resolves with the first status. */
export const subscribed = (channel: VendorChannel) =>
  new Promise<string>((resolve) => {
    channel.subscribe((status) => resolve(status));
  });
/** Joins, and resolves once the channel is live or has failed. */
export async function joined(channel: Channel): Promise<string> {
  channel.join();
  return eventually(() => {
    const { status } = channel.getSnapshot();
    return (status === 'live' || status === 'failed') && status;
  });
}
export type RealtimeRow = MigratingRow<SupabaseClient, SupabaseClients>;
export interface Note {
  readonly id: number;
  readonly body: string;
}
export const binding = { event: 'INSERT', schema: 'public', table: 'm_notes', filter: 'id=gt.0' } as const;

export type RealtimeTools = ReturnType<typeof createRealtimeTools>;

/** An embedded Supabase with a table of notes for the tests of this file, and clients of it. */
export function createRealtimeTools() {
  const supabase = useLocalSupabase({ port: 0 });
  /** Creates the vendor's clients: the vendor's `createClient`, or that of the entry `compat`. */
  let library = createClient;

  beforeAll(async () => {
    await supabase().database.exec(`
      create table public.m_notes (id int primary key, body text);
      grant all on public.m_notes to authenticated, service_role;
      alter publication supabase_realtime add table public.m_notes;
      create policy m_reads on realtime.messages for select to authenticated using (realtime.topic() = 'm_allowed');
      create policy m_writes on realtime.messages for insert to authenticated with check (realtime.topic() = 'm_allowed');
      create function public.m_tell() returns trigger language plpgsql security definer as $$ begin
        perform realtime.broadcast_changes('m_allowed', tg_op, tg_op, tg_table_name, tg_table_schema, new, old);
        return null;
      end $$;
      create trigger m_tell after insert on public.m_notes for each row execute function public.m_tell();
    `);
  });

  let lastId = 0;
  /** Inserts a note and returns its text. */
  async function addNote(): Promise<string> {
    lastId += 1;
    await supabase().database.query('insert into public.m_notes values ($1, $2)', [lastId, 'note']);
    return 'note';
  }
  async function openVendor(): Promise<SupabaseClient> {
    const { url, anonKey } = supabase();
    const client = library(url, anonKey, {
      auth: { persistSession: false, autoRefreshToken: false },
      realtime: { transport },
    });
    onTestFinished(async () => {
      await client.removeAllChannels();
      await client.realtime.disconnect();
    });
    await client.auth.signInWithPassword({ email: ada.email, password: seedPassword });
    return client;
  }

  async function openHere(): Promise<SupabaseClients> {
    const { url, anonKey: apiKey } = supabase();
    const platform = createPlatform({ openSocket: openNodeSocket });
    const clients = createSupabaseClients({ url, apiKey, platform, store: createMemoryStore() });
    onTestFinished(() => clients.close());
    await clients.auth.signInWithPassword({ email: ada.email, password: seedPassword });
    return clients;
  }

  /** The vendor's SUBSCRIBED arrives before the server watches the table: write until something arrives. */
  async function addUntil<T>(received: readonly T[]): Promise<T | undefined> {
    await expect
      .poll(async () => {
        await addNote();
        await new Promise((resolve) => setTimeout(resolve, 50));
        return received.length;
      })
      .toBeGreaterThan(0);
    return received[0];
  }

  /** Two members of a channel: one sends, the other receives. */
  const vendorPair = async (name: string, config: object = {}) => {
    const [one, two] = await Promise.all([openVendor(), openVendor()]);
    return [one.channel(name, { config }), two.channel(name, { config })] as const;
  };
  const pair = async (name: string, options: { readonly private?: boolean } = {}) => {
    const [one, two] = await Promise.all([openHere(), openHere()]);
    return [one.realtime.channel(name, options), two.realtime.channel(name, options)] as const;
  };

  const openFirst = (next: typeof createClient) => () => {
    library = next;
    return openVendor();
  };
  return {
    supabase,
    /** Opens a further client of the library of the row. */
    openAnother: openVendor,
    openVendor: openFirst(createClient),
    openCompat: openFirst(compatLibrary),
    openHere,
    addNote,
    addUntil,
    vendorPair,
    pair,
  };
}
