import { useUser } from 'supabase-protocol-clients/react';
import { useClients } from '../../../shared/clients/clients-context.ts';
import { showUndoToast } from '../../../ui/list/undo-toast.ts';
import { toasts } from '../../../ui/overlay/toasts.ts';
import { encodeFilter, parseFilter, type NotificationFilter } from '../model/notification-filter.ts';
import { inboxTexts } from '../texts/inbox-texts.ts';

/** A named URL of the inbox. It is part of the user's metadata, so that every device lists it. */
export interface SavedView {
  readonly name: string;
  /** The query part of the URL. */
  readonly search: string;
}

/** Maximum number of views, because every token contains the metadata. */
const mostViews = 12;

export function useSavedViews() {
  const { auth, platform } = useClients();
  const texts = inboxTexts.use();
  const views = parseViews(useUser()?.user_metadata?.['views']);
  const write = async (changed: readonly SavedView[], onDone?: () => void) => {
    try {
      await auth.updateUser({ data: { views: changed.slice(0, mostViews) } });
      onDone?.();
    } catch (problem) {
      platform.report(problem);
      toasts.show(texts.actionFailed, { tone: 'error' });
    }
  };
  const restore = (removed: SavedView, place: number) => {
    // Others may have been saved since.
    const current = parseViews(auth.getSnapshot().user?.user_metadata?.['views']);
    void write(current.filter(({ name }) => name !== removed.name).toSpliced(place, 0, removed));
  };
  return {
    views,
    find: (filter: NotificationFilter) => views.find(({ search }) => search === encodeFilter(filter)),
    /** Saves the filter, replacing a view of the same name. */
    save: (name: string, filter: NotificationFilter) =>
      void write([{ name, search: encodeFilter(filter) }, ...views.filter((view) => view.name !== name)]),
    /** Removes the view; a toast undoes it. */
    remove: (removed: SavedView) =>
      void write(
        views.filter(({ name }) => name !== removed.name),
        () =>
          showUndoToast({
            text: texts.viewRemoved(removed.name),
            label: texts.undo,
            undo: () => restore(removed, views.indexOf(removed)),
          }),
      ),
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
