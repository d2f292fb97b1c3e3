import { useState } from 'react';
import type { Notification } from '../model/notification.ts';

/** The selected notifications; `isEverything` also covers the part of the list that is not loaded. */
export interface Selection {
  readonly ids: ReadonlySet<string>;
  readonly isEverything: boolean;
}

export type SelectionState = ReturnType<typeof useSelection>;

interface ListSelection extends Selection {
  readonly listKey: string;
  /** The row that was toggled last: where a range begins. */
  readonly anchor: string | null;
}

export const emptySelection: Selection = { ids: new Set(), isEverything: false };

/**
 * The selection of one list; another list begins without one.
 *
 * @param shown the rows in their order, for ranges.
 */
export function useSelection(shown: readonly Notification[], listKey: string) {
  const [current, setCurrent] = useState<ListSelection | null>(null);
  const own = current?.listKey === listKey ? current : null;
  const select = (selection: Selection | null) =>
    setCurrent(selection && { ...selection, listKey, anchor: null });
  /** Selects all of them; if all are selected, deselects them. */
  const toggleAll = (toggled: readonly string[]) => {
    const ids = new Set(own?.ids);
    const areAll = toggled.every((id) => ids.has(id));
    for (const id of toggled) {
      if (areAll) ids.delete(id);
      else ids.add(id);
    }
    setCurrent({ ids, isEverything: false, listKey, anchor: toggled[0] ?? null });
  };
  /** Selects from the row that was toggled last to this one. */
  const extendTo = (id: string) => {
    const anchor = own?.anchor ?? null;
    const from = shown.findIndex((row) => row.id === anchor);
    const to = shown.findIndex((row) => row.id === id);
    if (from < 0 || to < 0) return toggleAll([id]);
    const range = shown.slice(Math.min(from, to), Math.max(from, to) + 1).map((row) => row.id);
    setCurrent({ ids: new Set([...(own?.ids ?? []), ...range]), isEverything: false, listKey, anchor });
  };
  const selection: Selection | null = own;
  return { selection, select, toggleAll, extendTo };
}
