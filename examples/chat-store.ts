import type { Platform } from 'supabase-protocol-clients/platform';
import { createDatabaseBroadcast } from 'supabase-protocol-clients/realtime-client/broadcast';
import type { RealtimeClient } from 'supabase-protocol-clients/realtime-client';
import { createLiveQuery, type LiveQuery } from 'supabase-protocol-clients/realtime-client/live-query';
import type { RestClient } from 'supabase-protocol-clients/rest-client';
import type { ExampleDatabase, Message } from './database.ts';

/** The clients for the examples with a history. */
export interface ChatClients {
  readonly rest: RestClient<ExampleDatabase>;
  readonly realtime: RealtimeClient;
  readonly platform: Platform;
}

/** The newest messages of a room: read with REST, and updated by broadcasts from the database. */
export function createHistory({ rest, realtime, platform }: ChatClients, room: string): LiveQuery<Message> {
  const channel = realtime.channel(`room:${room}`, { private: true });
  return createLiveQuery({
    platform,
    channel,
    source: createDatabaseBroadcast(channel),
    query: rest.from('example_messages').select().eq('room', room).order('created_at'),
    key: 'id',
  });
}

/** Writes a message; its author receives it by the same broadcast as everyone else. */
export async function post({ rest }: ChatClients, room: string, name: string, body: string): Promise<void> {
  await rest.from('example_messages').insert([{ room, author_name: name, body }]);
}
