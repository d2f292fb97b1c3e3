import { QueryClient } from '@tanstack/react-query';

/** A result older than this is refetched when a component mounts that uses it (specification §9). */
export const staleMs = 300_000;
/** A result that no component uses is discarded after this long (specification §9). */
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
        // The clients report network failures themselves; a paused query would show neither data nor an error.
        networkMode: 'always',
      },
      mutations: { networkMode: 'always' },
    },
  });
}
