import { useMutation, useMutationState, useQuery, useQueryClient } from '@tanstack/react-query';
import { useClients, useDataClients, useUser } from '../../shared/clients/clients-context.ts';
import { isNoRow, loadPreferences } from './load-preferences.ts';
import { isTemporary, newerPreferences } from './preferences.ts';
import type { PreferenceChange, Preferences } from './preferences.ts';
import { createPreferencesApi } from './preferences-api.ts';
import { preferencesKey, storePreferences } from './cached-preferences.ts';
import type { CachedPreferences } from './cached-preferences.ts';

export interface UsedPreferences {
  /** Including pending changes. undefined: loading; null: deleted on another device. */
  readonly preferences: CachedPreferences | undefined;
  readonly isLoading: boolean;
  /** Whether the refetch failed: an earlier copy is shown. */
  readonly isOutdated: boolean;
  readonly isSaving: boolean;
  /** Applies the change optimistically and saves it; rolls back if saving fails. */
  readonly change: (change: PreferenceChange) => void;
  /** Reads the row again, and inserts the defaults if there is none. */
  readonly reload: () => void;
}

/** @param onFailure called when a change could not be saved; `retry` saves it again. */
export function usePreferences(onFailure: (retry: () => void) => void): UsedPreferences {
  const { platform } = useClients();
  const { rest } = useDataClients();
  const userId = useUser()?.id ?? '';
  const queryClient = useQueryClient();
  const queryKey = preferencesKey(userId);
  const api = createPreferencesApi(rest, userId);

  const query = useQuery<CachedPreferences>({
    queryKey,
    queryFn: async () => {
      const loaded = await loadPreferences(api, platform.report);
      const known = queryClient.getQueryData<CachedPreferences>(queryKey);
      // A failed refetch must not replace known preferences by the temporary defaults.
      if (isTemporary(loaded) && known && !isTemporary(known)) throw new Error('Not read again');
      return newerPreferences(known, loaded);
    },
    // Temporary defaults are always stale.
    staleTime: ({ state }) => (isTemporary(state.data) ? 0 : 300_000),
  });
  const mutationKey = [...queryKey, 'change'];
  const mutation = useMutation({
    mutationKey,
    // Serialized, so that the last change wins.
    scope: { id: mutationKey.join('/') },
    mutationFn: (change: PreferenceChange) => api.update(change),
    onSuccess: (saved) => storePreferences(queryClient, userId, saved),
    onError(problem, change) {
      platform.report(problem);
      if (isNoRow(problem)) storePreferences(queryClient, userId, null);
      else onFailure(() => mutation.mutate(change));
    },
  });
  const pending = useMutationState({
    filters: { mutationKey, status: 'pending' },
    select: ({ state }) => state.variables as PreferenceChange,
  });
  const known = query.data;
  return {
    preferences:
      known && pending.reduce<Preferences>((result, change) => Object.assign(result, change), { ...known }),
    isLoading: query.isFetching,
    isOutdated: query.isError,
    isSaving: pending.length > 0,
    change(change) {
      if (!known) return;
      if (isTemporary(known)) queryClient.setQueryData<CachedPreferences>(queryKey, { ...known, ...change });
      else mutation.mutate(change);
    },
    reload: () => void query.refetch(),
  };
}
