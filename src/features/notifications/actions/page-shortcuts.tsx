import { useLocation } from 'wouter';
import { paths } from '../../../shared/routes.ts';
import { toasts } from '../../../ui/overlay/toasts.ts';
import type { Shortcut } from './shortcuts.ts';
import { useShortcuts } from './use-shortcuts.ts';

/** The shortcuts of every page of the signed-in user: going to another page, and undoing the last action. */
export function PageShortcuts(): null {
  const [, navigate] = useLocation();
  useShortcuts((shortcut) => {
    if (shortcut === 'undo') return toasts.undoNewest();
    const path = pagesOfShortcuts[shortcut];
    if (path !== undefined) navigate(path);
    return path !== undefined;
  });
  return null;
}

const pagesOfShortcuts: Partial<Record<Shortcut, string>> = {
  goInbox: paths.home,
  goPreferences: paths.preferences,
};
