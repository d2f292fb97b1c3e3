import { useEffect, useSyncExternalStore } from 'react';
import type { LiveQuery, LiveQuerySnapshot } from '../realtime-client/live-query.ts';

/**
 * The rows of a live query, current for as long as the component is mounted. Make the query once, outside of the
 * component or in `useState`.
 */
export function useLiveList<Row>(query: LiveQuery<Row>): LiveQuerySnapshot<Row> {
  useEffect(() => query.start(), [query]);
  return useSyncExternalStore(query.subscribe, query.getSnapshot, query.getSnapshot);
}
