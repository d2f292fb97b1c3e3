import { toasts } from '../state/toasts.ts';

/** An action that can be undone. */
export interface UndoToastOptions {
  /** The sentence that says what was done. */
  readonly text: string;
  readonly label: string;
  readonly undo: () => void;
  /** Called when the action can no longer be undone, also after an undo. */
  readonly onKept?: (() => void) | undefined;
}

/** The actions that can still be undone, oldest first. The toast is that of the last one. */
const undoable: UndoToastOptions[] = [];
const maxUndoable = 20;
let shownId: number | null = null;

/**
 * Offers to undo the last action. One such toast at a time: the next action replaces it. After an undo it offers the previous
 * action, and so on, until a toast times out or is dismissed.
 *
 * @returns withdraws the offer.
 */
export function showUndoToast(options: UndoToastOptions): () => void {
  undoable.push(options);
  if (undoable.length > maxUndoable) undoable.shift()?.onKept?.();
  showLast();
  return () => {
    const at = undoable.indexOf(options);
    if (at < 0) return;
    const wasShown = options === undoable.at(-1);
    undoable.splice(at, 1);
    options.onKept?.();
    if (wasShown) showLast();
  };
}

function showLast(): void {
  const replacedId = shownId;
  shownId = null;
  if (replacedId !== null) toasts.dismiss(replacedId);
  const last = undoable.at(-1);
  if (!last) return;
  const { text, label, undo, onKept } = last;
  const run = () => {
    undoable.pop();
    undo();
    onKept?.();
    showLast();
  };
  const id = toasts.show(text, {
    action: { label, run, isUndo: true },
    onGone() {
      if (shownId !== id) return;
      shownId = null;
      for (const kept of undoable.splice(0)) kept.onKept?.();
    },
  });
  shownId = id;
}
