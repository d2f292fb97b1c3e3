import { createLoader, retryFailedLoad } from '../../../ui/state/loader.ts';
import type {
  createInboxActions,
  InboxActions,
  InboxActionsOptions,
  UndoableAction,
} from './inbox-actions.ts';

/**
 * The user's actions, whose code is loaded beside the first list. An action before that takes effect once the code is there;
 * if it cannot be loaded, the next action tries again.
 *
 * @param load imports `inbox-actions.ts`.
 */
export function createLazyActions(
  options: InboxActionsOptions,
  load: () => Promise<{ readonly createInboxActions: typeof createInboxActions }>,
): InboxActions {
  let actions: InboxActions | null = null;
  let isClosed = false;
  const open = createLoader(async () => {
    const loaded = await load();
    actions = loaded.createInboxActions(options);
    if (isClosed) actions.close();
    return actions;
  });
  const call = (act: (loaded: InboxActions) => void) => {
    if (actions) return act(actions);
    open()
      .then((loaded) => {
        // After a sign-out nothing can be sent.
        if (!isClosed) act(loaded);
      })
      .catch((problem: unknown) => {
        retryFailedLoad(problem);
        options.report(problem);
      });
  };
  const callCounting = (act: (loaded: InboxActions) => Promise<number>): Promise<number> =>
    new Promise((resolve) => call((loaded) => resolve(act(loaded))));
  const callUndoable = (act: (loaded: InboxActions) => UndoableAction): UndoableAction => {
    let action: UndoableAction | null = null;
    call((loaded) => {
      action = act(loaded);
    });
    return {
      commit: () => call(() => action?.commit()),
      undo: () => call(() => action?.undo()),
    };
  };
  // The messages of other tabs are received from the start.
  call(() => undefined);
  return {
    setStatus: (ids, status) => callCounting((loaded) => loaded.setStatus(ids, status)),
    snooze: (ids, untilMs) => callCounting((loaded) => loaded.snooze(ids, untilMs)),
    markAllRead: (kind) => callUndoable((loaded) => loaded.markAllRead(kind)),
    remove: (ids) => callUndoable((loaded) => loaded.remove(ids)),
    removeAll: (filter) => callUndoable((loaded) => loaded.removeAll(filter)),
    retry: () => call((loaded) => loaded.retry()),
    openOutbox: () => call((loaded) => loaded.openOutbox()),
    // Without their code there are no actions yet.
    commitAll: () => actions?.commitAll(),
    close() {
      isClosed = true;
      if (actions) actions.close();
      else options.tabs.close();
    },
  };
}
