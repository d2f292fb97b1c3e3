import { useState } from 'react';
import type { InboxView } from '../model/inbox-view.ts';

/** The view to show: while the results of a search are read, the view before them stays. */
export function useSettledView(view: InboxView): InboxView {
  const [settled, setSettled] = useState(view);
  const isPending = !view.isLoaded && Boolean(view.filter.query);
  const isSameList = view.filter.tab === settled.filter.tab && view.filter.kind === settled.filter.kind;
  if (isPending && isSameList) return settled;
  if (view !== settled) setSettled(view);
  return view;
}
