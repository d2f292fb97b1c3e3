import { useEffect, useEffectEvent } from 'react';
import { useLocation } from 'wouter';
import { paths } from '../../../shared/routes.ts';
import { toasts } from '../../../ui/state/toasts.ts';
import { parseShortcut, prefixKeys, shortcutsEnabled, type Shortcut } from './shortcuts.ts';

/** How long the first letter of a two-letter shortcut waits for the second. */
const prefixMs = 1_000;

export type ShortcutActions = Partial<Record<Shortcut, (rowId: string | null) => boolean | void>>;

/**
 * Listens to shortcuts on the whole page: letters outside of text fields and dialogs, other keys only where the focus is in
 * the list or the detail, since they scroll the page elsewhere.
 *
 * @param actions what each shortcut does; the browser's own action of the key is prevented unless it returns false.
 */
export function useShortcuts(actions: ShortcutActions): void {
  const act = useEffectEvent(
    (shortcut: Shortcut, rowId: string | null) => actions[shortcut]?.(rowId) ?? shortcut in actions,
  );
  useEffect(() => {
    let prefix: { readonly key: string; readonly atMs: number } | null = null;
    const onKeyDown = (event: KeyboardEvent) => {
      const target = event.target instanceof HTMLElement ? event.target : document.body;
      if (event.defaultPrevented || event.isComposing || isKeyTaken(target)) return;
      const isLetter = event.key.length === 1;
      const isInList = target.closest('[data-list], [data-detail-panel]') !== null;
      if (isLetter ? !shortcutsEnabled.getSnapshot() : !isInList && event.key !== 'Escape') return;
      const isContinued = prefix !== null && event.timeStamp - prefix.atMs < prefixMs;
      const shortcut = parseShortcut(event, isContinued ? (prefix?.key ?? null) : null);
      prefix = prefixKeys.includes(event.key) ? { key: event.key, atMs: event.timeStamp } : null;
      if (!shortcut) return;
      const rowId = target.closest<HTMLElement>('[data-id]')?.dataset['id'] ?? null;
      if (act(shortcut, rowId)) event.preventDefault();
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, []);
}

/** Whether the key belongs to a text field, or to a dialog or a popover above the page. */
export function isKeyTaken(target: HTMLElement): boolean {
  return (
    target.isContentEditable ||
    target.closest('input:not([type="checkbox"]), textarea, select, [role="dialog"]') !== null ||
    document.querySelector('dialog[open], :popover-open') !== null
  );
}

/** The shortcuts of every page of the signed-in user: to another page, and undo. */
export function usePageShortcuts(): void {
  const [, navigate] = useLocation();
  useShortcuts({
    undo: toasts.undoNewest,
    goInbox: () => navigate(paths.home),
    goPreferences: () => navigate(paths.preferences),
  });
}
