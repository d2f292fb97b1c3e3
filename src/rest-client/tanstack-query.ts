import { CallUser } from '../platform/call-user.ts';
import type { Query } from './query/query.ts';
import type { RestRequest } from './query/plan.ts';

/** The options with which TanStack Query reads a query. */
export interface QueryOptions<Data> {
  /** `['rest', userId, request]`: `['rest']` invalidates every read, `['rest', userId]` those of one user. */
  readonly queryKey: readonly ['rest', string | null, RestRequest];
  /** Sends the query; TanStack's signal aborts it. Rejects with `RestError`. */
  readonly queryFn: (context: { readonly signal: AbortSignal }) => Promise<Data>;
  /** The client itself retries transient failures. */
  readonly retry: false;
}

/**
 * The options by which TanStack Query (version 5, of any framework) caches a read. The request identifies it, so that a
 * query may be built again at each render, and the user's id keeps one user's rows from another: a read by the token of another user
 * fails with `user-changed`.
 *
 * @param userId of the session, the subject of its token; null without a session.
 * @example
 * ```tsx
 * import { useQuery } from '@tanstack/react-query';
 * import { useSupabase, useUser } from 'supabase-protocol-clients/react';
 * import { queryOptions } from 'supabase-protocol-clients/rest-client/tanstack-query';
 *
 * export function Unread() {
 *   const { rest } = useSupabase<Database>();
 *   const unread = rest.from('notifications').select('id').eq('status', 'unread');
 *   const { data } = useQuery(queryOptions(unread, useUser()?.id ?? null));
 *   return <p>{data === undefined ? 'Loading…' : `${data.length} unread`}</p>;
 * }
 * ```
 */
export function queryOptions<Data>(query: Query<Data>, userId: string | null): QueryOptions<Data> {
  return {
    queryKey: ['rest', userId, query.toRequest()],
    // The session may be another user's by the time TanStack reads.
    queryFn: ({ signal }) => query.execute({ signal, user: new CallUser(userId) }),
    retry: false,
  };
}
