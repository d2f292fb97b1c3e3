import { useCallback, useInsertionEffect, useRef, useState } from 'react';
import type { Query } from '../rest-client/index.ts';
import { queryCacheOf } from './query-cache.ts';
import { useProvidedClients } from './supabase-provider.tsx';

/** A change to show at once: what {@link optimistic} makes. */
export interface OptimisticChange {
  /** The read whose data changes. */
  readonly query: Query<unknown>;
  /** Returns the data to show; it must not modify its argument. */
  readonly change: (data: unknown) => unknown;
}

/** How {@link useMutation} writes. */
export interface UseMutationOptions<Variables> {
  /**
   * What to show before the response arrives, by {@link optimistic}. A failure undoes it. After a success it stays until the
   * reads that it changes have been sent again. Default: nothing.
   */
  readonly optimistic?: (variables: Variables) => readonly OptimisticChange[];
  /** The reads to send again after a success, beside those of `optimistic`. Default: all. */
  readonly refetch?: readonly Query<unknown>[];
}

/** The state of the last call. */
export interface MutationState<Variables, Data> {
  /** Whether it has ended, and how. */
  readonly status: 'idle' | 'pending' | 'success' | 'error';
  /** The result of the call; undefined until it succeeds, and after a failure. */
  readonly data: Data | undefined;
  /** Why it failed, such as a `RestError`; null otherwise. */
  readonly error: Error | null;
  /** Writes; a failure is in `error`. The same function at every render. */
  readonly mutate: (variables: Variables) => void;
  /**
   * Writes. Resolves when the write has succeeded and the reads were sent again. The same function at every render.
   *
   * @throws what the write throws
   */
  readonly mutateAsync: (variables: Variables) => Promise<Data>;
  /** Forgets the result or the error. */
  readonly reset: () => void;
}

/**
 * A change of a query's data, for `optimistic` of {@link useMutation}.
 *
 * @param change returns the data to show; it is applied again to what a read returns before the write has ended.
 */
export function optimistic<Data>(
  query: Query<Data>,
  change: (data: NoInfer<Data>) => NoInfer<Data>,
): OptimisticChange {
  return { query, change: change as OptimisticChange['change'] };
}

/**
 * A write with its state, its optimistic changes and the reads that it invalidates. A failed write undoes its own changes and
 * keeps those of overlapping writes.
 *
 * @param write sends the write; the last one that was rendered is called.
 * @example
 * ```tsx
 * import { optimistic, useMutation, useQuery, useSupabase } from 'supabase-protocol-clients/react';
 *
 * export function Inbox() {
 *   const { rest } = useSupabase<Database>();
 *   const inbox = rest.from('notifications').select('id, content, status').order('created_at');
 *   const { data = [] } = useQuery(inbox);
 *   const read = useMutation((id: string) => rest.from('notifications').update({ status: 'read' }).eq('id', id), {
 *     optimistic: (id) => [
 *       optimistic(inbox, (rows) => rows.map((row) => (row.id === id ? { ...row, status: 'read' } : row))),
 *     ],
 *   });
 *   return (
 *     <ul>
 *       {data.map(({ id, content, status }) => (
 *         <li key={id} onClick={() => read.mutate(id)}>{content} {status}</li>
 *       ))}
 *       {read.error && <li role="alert">{read.error.message}</li>}
 *     </ul>
 *   );
 * }
 * ```
 */
export function useMutation<Variables, Data>(
  write: (variables: Variables) => PromiseLike<Data>,
  options: UseMutationOptions<Variables> = {},
): MutationState<Variables, Data> {
  const cache = queryCacheOf(useProvidedClients());
  const [outcome, setOutcome] = useState<MutationOutcome<Data>>(idle);
  const lastCall = useRef(0);
  const reset = useCallback(() => {
    lastCall.current += 1;
    setOutcome(idle);
  }, []);
  const rendered = useRef({ write, options });
  // Before the layout effects of the children, which may write.
  useInsertionEffect(() => {
    rendered.current = { write, options };
  });
  const mutateAsync = useCallback(
    async (variables: Variables): Promise<Data> => {
      const { write, options } = rendered.current;
      const call = (lastCall.current += 1);
      const settle = (next: MutationOutcome<Data>) => {
        if (lastCall.current === call) setOutcome(next);
      };
      setOutcome({ status: 'pending', data: undefined, error: null });
      const applied: ReturnType<typeof cache.apply>[] = [];
      try {
        const changes = options.optimistic?.(variables) ?? [];
        for (const { query, change } of changes) applied.push(cache.apply(query, change));
        const data = await write(variables);
        for (const change of applied) change?.confirm();
        await cache.invalidate(options.refetch && [...options.refetch, ...changes.map(({ query }) => query)]);
        settle({ status: 'success', data, error: null });
        return data;
      } catch (problem) {
        for (const change of applied) change?.undo();
        const error = problem instanceof Error ? problem : new Error('The write failed', { cause: problem });
        settle({ status: 'error', data: undefined, error });
        throw problem;
      }
    },
    [cache],
  );
  const mutate = useCallback(
    (variables: Variables) => {
      mutateAsync(variables).catch(() => {
        // The state has the error.
      });
    },
    [mutateAsync],
  );
  return { ...outcome, mutate, mutateAsync, reset };
}

/**
 * Marks results as outdated, and sends reads that a component shows again: after a write without {@link useMutation}, or when
 * a channel reports a change. Resolves when they have ended.
 *
 * @returns a function; without queries it means all reads.
 */
export function useInvalidate(): (queries?: readonly Query<unknown>[]) => Promise<void> {
  return queryCacheOf(useProvidedClients()).invalidate;
}

type MutationOutcome<Data> = Pick<MutationState<never, Data>, 'status' | 'data' | 'error'>;

const idle = { status: 'idle', data: undefined, error: null } as const;
