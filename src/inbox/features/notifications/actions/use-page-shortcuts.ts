import { useLocation } from 'wouter';
import { paths } from '../../../shared/routes.ts';
import { toasts } from '../../../ui/overlay/toasts.ts';
import type { Shortcut } from './shortcuts.ts';
import { useShortcuts } from './use-shortcuts.ts';

const pagesOfShortcuts: Partial<Record<Shortcut, string>> = {
  goInbox: paths.home,
  goPreferences: paths.preferences,
};

/** The shortcuts of every page of the signed-in user: to another page, and undo. */
export function usePageShortcuts(): void {
  const [, navigate] = useLocation();
  useShortcuts((shortcut) => {
    if (shortcut === 'undo') return toasts.undoNewest();
    const path = pagesOfShortcuts[shortcut];
    if (path !== undefined) navigate(path);
    return path !== undefined;
  });
}
