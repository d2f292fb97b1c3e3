import { NotificationDetail } from '../detail/notification-detail.tsx';
import { useInboxServices } from '../data/inbox-context.ts';
import { RowMenu } from '../list/row-menu.tsx';
import type { Notification } from '../model/notification.ts';
import { SnoozeDialog } from '../snooze/snooze-dialog.tsx';
import type { InboxDialog, RowActions } from './use-row-actions.ts';
import { InboxOptions, KeyboardHelp } from './inbox-options.tsx';

export interface InboxOverlaysProps {
  /** The notification that the detail shows. */
  readonly openId: string | null;
  readonly shown: readonly Notification[];
  readonly dialog: InboxDialog | null;
  readonly rows: RowActions;
  readonly onDialog: (dialog: InboxDialog | null) => void;
  /** Starts or ends selecting. */
  readonly onSelect: (isSelecting: boolean) => void;
}

/** The detail, menus and dialogs over or beside the list. Loaded after the first list. */
export function InboxOverlays({ openId, shown, dialog, rows, onDialog, onSelect }: InboxOverlaysProps) {
  const { InviteDialog } = useInboxServices();
  const openAt = shown.findIndex(({ id }) => id === openId);
  const row = typeof dialog === 'object' ? dialog : null;
  const close = () => onDialog(null);
  return (
    <>
      {openId !== null && (
        <NotificationDetail
          id={openId}
          onAction={rows.onAction}
          onClose={rows.closeDetail}
          onNext={shown[openAt + 1] ? () => rows.show(shown[openAt + 1]) : null}
          onPrevious={openAt > 0 ? () => rows.show(shown[openAt - 1]) : null}
        />
      )}
      {dialog === 'options' && (
        <InboxOptions
          onClose={close}
          onSelect={() => onSelect(true)}
          onInvite={() => onDialog('invite')}
          onKeys={() => onDialog('keys')}
        />
      )}
      {dialog === 'keys' && <KeyboardHelp onClose={close} />}
      {row?.type === 'snooze' && (
        <SnoozeDialog
          notifications={row.notifications}
          onClose={close}
          onSnooze={() => {
            rows.leave(row.id);
            onSelect(false);
          }}
        />
      )}
      {row?.type === 'menu' && (
        <RowMenu
          key={row.id}
          notifications={row.notifications}
          rowId={row.id}
          onAction={(action) => rows.onAction(action, row.notifications, row.id)}
          onClose={close}
        />
      )}
      {InviteDialog && dialog === 'invite' && <InviteDialog open onClose={close} />}
    </>
  );
}
