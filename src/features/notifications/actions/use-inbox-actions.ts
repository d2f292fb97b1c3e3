import { useCallback } from 'react';
import { toasts } from '../../../ui/overlay/toasts.ts';
import { useInbox } from '../data/inbox-context.ts';
import type { Notification } from '../model/notification.ts';
import type { RowAction } from '../list/notification-row.tsx';
import { inboxTexts } from '../texts/notification-texts.ts';

/** Hides the notifications and offers to bring them back; they are deleted when the offer goes. */
export function useRemove(): (ids: readonly string[]) => void {
  const inbox = useInbox();
  const texts = inboxTexts.use();
  return useCallback(
    (ids) => {
      const removal = inbox.remove(ids);
      toasts.show(texts.removed(ids.length), {
        action: { label: texts.undo, run: removal.undo },
        onGone: removal.commit,
      });
    },
    [inbox, texts],
  );
}

/** What the rows' links, buttons and keys do; the same function until the inbox changes, so that rows stay still. */
export function useRowAction(
  onOther: (action: 'select' | 'more', notification: Notification) => void,
): (action: RowAction, notification: Notification) => void {
  const inbox = useInbox();
  const remove = useRemove();
  return useCallback(
    (action, notification) => {
      const { id, status } = notification;
      if (action === 'open') {
        if (status === 'unread') inbox.setStatus([id], 'read');
      } else if (action === 'read') {
        if (status !== 'archived') inbox.setStatus([id], status === 'unread' ? 'read' : 'unread');
      } else if (action === 'archive' || action === 'remove') {
        leaveRow(id);
        if (action === 'remove') remove([id]);
        else inbox.setStatus([id], status === 'archived' ? 'read' : 'archived');
      } else onOther(action, notification);
    },
    [inbox, remove, onOther],
  );
}

/** The row will be gone: a focus in it moves to the next row, else to the one before, else to the heading. */
function leaveRow(id: string): void {
  const row = document.activeElement?.closest('[data-id]');
  if (row?.getAttribute('data-id') !== id) return;
  const links = [...document.querySelectorAll<HTMLElement>('main [data-row]')];
  const at = links.findIndex((link) => row.contains(link));
  (links[at + 1] ?? links[at - 1] ?? document.querySelector<HTMLElement>('h1'))?.focus();
}
