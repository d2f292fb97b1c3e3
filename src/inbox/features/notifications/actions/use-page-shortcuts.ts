import { useLocation } from 'wouter';
import { paths } from '../../../shared/routes.ts';
import { toasts } from '../../../ui/overlay/toasts.ts';
import { useShortcuts } from './use-shortcuts.ts';

/** The shortcuts of every page of the signed-in user: to another page, and undo. */
export function usePageShortcuts(): void {
  const [, navigate] = useLocation();
  useShortcuts({
    undo: toasts.undoNewest,
    goInbox: () => navigate(paths.home),
    goPreferences: () => navigate(paths.preferences),
  });
}
