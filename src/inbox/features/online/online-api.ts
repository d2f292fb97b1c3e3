import type { Database } from '../../database.types.ts';
import type { RestClient } from 'supabase-protocol-clients/rest-client';
import type { OnlineTopics } from './online-state.ts';

/** Reads the topics in which the user and the user's contacts are online. @throws {RestError} */
export async function readOnlineTopics(rest: RestClient<Database>, userId: string): Promise<OnlineTopics> {
  const rows = await rest.rpc('online_topics').execute();
  const topics = new Map(rows.map((row) => [row.user_id, row.topic]));
  const own = topics.get(userId) ?? null;
  topics.delete(userId);
  return { own, contacts: topics };
}
