import { toasts } from '../overlay/toasts.ts';

let shownId: number | null = null;

/** An action that can be undone. */
export interface UndoToastOptions {
  /** The sentence that says what was done. */
  readonly text: string;
  /** The label of the button. */
  readonly label: string;
  readonly undo: () => void;
  /** Called when the toast is gone, also after an undo. */
  readonly onKept?: (() => void) | undefined;
}

/**
 * Offers to undo the last action. One such toast at a time: the next action replaces it, and the earlier one can no longer
 * be undone.
 *
 * @returns dismisses the toast.
 */
export function showUndoToast({ text, label, undo, onKept }: UndoToastOptions): () => void {
  if (shownId !== null) toasts.dismiss(shownId);
  const id = toasts.show(text, {
    action: { label, run: undo, isUndo: true },
    onGone() {
      if (shownId === id) shownId = null;
      onKept?.();
    },
  });
  shownId = id;
  return () => toasts.dismiss(id);
}
