import { useLocation } from 'wouter';
import { paths } from '../../../shared/routes.ts';
import { toasts } from '../../../ui/overlay/toasts.ts';
import type { Shortcut } from './shortcuts.ts';
import { useShortcuts } from './use-shortcuts.ts';

/** The shortcuts of every page of the signed-in user. The inbox acts on them by itself, as soon as it hears keys. */
export function PageShortcuts(): null {
  useShortcuts(usePageShortcut());
  return null;
}

/** Goes to another page, or undoes the last action. The result says whether the shortcut was one of these. */
export function usePageShortcut(): (shortcut: Shortcut) => boolean {
  const [, navigate] = useLocation();
  return (shortcut) => {
    if (shortcut === 'undo') return toasts.undoNewest();
    const path = pagesOfShortcuts[shortcut];
    if (path !== undefined) navigate(path);
    return path !== undefined;
  };
}

const pagesOfShortcuts: Partial<Record<Shortcut, string>> = {
  goInbox: paths.home,
  goPreferences: paths.preferences,
};
