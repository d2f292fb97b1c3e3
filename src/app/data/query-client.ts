import { QueryClient } from '@tanstack/react-query';

/** After this long a result is read again when somebody looks at it (specification §9). */
export const staleMs = 300_000;
/** After this long without anybody looking a result is discarded (specification §9). */
export const discardMs = 1_800_000;

/** The data cache of one user. */
export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: staleMs,
        gcTime: discardMs,
        retry: 1,
        refetchOnWindowFocus: false,
        // The clients know best whether there is a network; a paused query would show nothing at all.
        networkMode: 'always',
      },
      mutations: { networkMode: 'always' },
    },
  });
}
