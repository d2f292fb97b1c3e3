import { useUser } from 'supabase-protocol-clients/react';
import { useClients } from '../../../shared/clients/clients-context.ts';
import { toasts } from '../../../ui/overlay/toasts.ts';
import { encodeFilter, parseFilter, type NotificationFilter } from '../model/notification-filter.ts';
import { inboxTexts } from '../texts/inbox-texts.ts';

/** A named URL of the inbox. It is part of the user's metadata, so that every device lists it. */
export interface SavedView {
  readonly name: string;
  /** The query part of the URL. */
  readonly search: string;
}

/** Every token contains the metadata. */
const mostViews = 12;

export function useSavedViews() {
  const { auth, platform } = useClients();
  const texts = inboxTexts.use();
  const views = parseViews(useUser()?.user_metadata?.['views']);
  const write = (changed: readonly SavedView[]) =>
    void auth.updateUser({ data: { views: changed.slice(0, mostViews) } }).catch((problem: unknown) => {
      platform.report(problem);
      toasts.show(texts.actionFailed, { tone: 'error' });
    });
  return {
    views,
    /** The view of this filter, if it is saved. */
    find: (filter: NotificationFilter) => views.find(({ search }) => search === encodeFilter(filter)),
    /** Saves the filter, in the place of a view of the same name. */
    save: (name: string, filter: NotificationFilter) =>
      write([{ name, search: encodeFilter(filter) }, ...views.filter((view) => view.name !== name)]),
    remove: (removed: SavedView) => write(views.filter(({ name }) => name !== removed.name)),
  };
}

function parseViews(stored: unknown): readonly SavedView[] {
  const views: readonly unknown[] = Array.isArray(stored) ? stored : [];
  return views.flatMap((view): readonly SavedView[] => {
    const { name, search } = (view ?? {}) as Readonly<Record<string, unknown>>;
    if (typeof name !== 'string' || typeof search !== 'string') return [];
    return [{ name, search: encodeFilter(parseFilter(search)) }];
  });
}
