import { createObservable } from 'supabase-protocol-clients/platform';

export interface ToastAction {
  readonly label: string;
  readonly run: () => void;
  /** Whether it undoes an action of the user; the shortcut for undo runs it, too. */
  readonly isUndo?: boolean;
}

export interface Toast {
  readonly id: number;
  readonly text: string;
  readonly tone: 'info' | 'error';
  readonly action: ToastAction | null;
  /** Time on screen in milliseconds, not counting hover, focus and a hidden tab. */
  readonly durationMs: number;
  /** Called once when the toast is gone: by timeout, dismissal or its action. */
  readonly onGone: (() => void) | undefined;
}

export interface ToastOptions {
  readonly tone?: Toast['tone'];
  readonly action?: ToastAction;
  /** Default and minimum: 10 000 ms. */
  readonly durationMs?: number;
  readonly onGone?: () => void;
}

const shown = createObservable<readonly Toast[]>([]);
let lastId = 0;

export const toasts = {
  subscribe: shown.subscribe,
  getSnapshot: shown.getSnapshot,

  show(text: string, options: ToastOptions = {}): number {
    lastId += 1;
    const toast: Toast = {
      id: lastId,
      text,
      tone: options.tone ?? 'info',
      action: options.action ?? null,
      durationMs: Math.max(10_000, options.durationMs ?? 0),
      onGone: options.onGone,
    };
    const kept = shown.getSnapshot();
    // At most three: the oldest is dismissed as if it had timed out.
    for (const old of kept.slice(0, Math.max(0, kept.length - 2))) toasts.dismiss(old.id);
    shown.set([...shown.getSnapshot(), toast]);
    return toast.id;
  },

  dismiss(id: number): void {
    const toast = shown.getSnapshot().find((candidate) => candidate.id === id);
    if (!toast) return;
    shown.set(shown.getSnapshot().filter((candidate) => candidate !== toast));
    toast.onGone?.();
  },

  /** Undoes the newest action that a toast offers to undo. @returns whether there was one. */
  undoNewest(): boolean {
    const toast = shown.getSnapshot().findLast(({ action }) => action?.isUndo);
    if (!toast) return false;
    toast.action?.run();
    toasts.dismiss(toast.id);
    return true;
  },

  /** Removes all toasts, as at sign-out. */
  clear(): void {
    for (const { id } of shown.getSnapshot()) toasts.dismiss(id);
  },
};
