import { useEffect, useSyncExternalStore } from 'react';
import type { LiveQuery, LiveQuerySnapshot } from '../realtime-client/live-query/live-query.ts';

/**
 * The rows of a live query, current for as long as the component is mounted. Make the query once, outside of the
 * component or in `useState`, and another one for another user: give the component the user's id as its `key`.
 *
 * @example
 * ```tsx
 * import { useState } from 'react';
 * import { useLiveList, useSupabase } from 'supabase-protocol-clients/react';
 * import { createLiveQuery } from 'supabase-protocol-clients/realtime-client/live-query';
 *
 * export function Titles({ userId }: { readonly userId: string }) {
 *   const { rest, realtime, platform } = useSupabase<Database>();
 *   const [query] = useState(() =>
 *     createLiveQuery({
 *       platform,
 *       channel: realtime.channel(`user:${userId}`),
 *       query: rest.from('notifications').select('id, content').eq('recipient_id', userId),
 *       key: 'id',
 *       immutableColumns: ['recipient_id'],
 *     }),
 *   );
 *   const { rows, isCurrent } = useLiveList(query);
 *   return <ul aria-busy={!isCurrent}>{rows.map((row) => <li key={row.id}>{row.content}</li>)}</ul>;
 * }
 * ```
 */
export function useLiveList<Row>(query: LiveQuery<Row>): LiveQuerySnapshot<Row> {
  useEffect(() => query.start(), [query]);
  return useSyncExternalStore(query.subscribe, query.getSnapshot, query.getSnapshot);
}
