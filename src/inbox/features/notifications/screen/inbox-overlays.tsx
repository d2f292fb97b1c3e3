import { NotificationDetail } from '../detail/notification-detail.tsx';
import { useInboxServices } from '../data/inbox-context.ts';
import type { OnRowAction } from '../list/notification-row.tsx';
import { RowMenu } from '../list/row-menu.tsx';
import type { Notification } from '../model/notification.ts';
import type { NotificationFilter } from '../model/notification-filter.ts';
import { SnoozeDialog } from '../snooze/snooze-dialog.tsx';
import { FilterSheet, SaveViewDialog } from './filter-sheet.tsx';
import { InboxOptions, KeyboardHelp } from './inbox-options.tsx';

/** What is open over the list. `keys`: the keyboard shortcuts. */
export type InboxDialog = 'options' | 'keys' | 'invite' | 'filter' | 'view' | RowDialog;

/** The menu of a row, or the question until when it is snoozed. */
export interface RowDialog {
  readonly type: 'menu' | 'snooze';
  readonly id: string;
  readonly notifications: readonly [Notification, ...Notification[]];
}

export interface InboxOverlaysProps {
  /** The notification that the detail shows. */
  readonly openId: string | null;
  readonly shown: readonly Notification[];
  readonly filter: NotificationFilter;
  readonly dialog: InboxDialog | null;
  readonly onAction: OnRowAction;
  readonly onShow: (notification: Notification | undefined) => void;
  readonly onCloseDetail: () => void;
  readonly onDialog: (dialog: InboxDialog | null) => void;
  /** Called before the notifications of the row are snoozed. */
  readonly onSnooze: (rowId: string) => void;
  readonly onSelect: () => void;
}

/** The detail, menus and dialogs over or beside the list. Loaded after the first list. */
export function InboxOverlays(props: InboxOverlaysProps) {
  const { openId, shown, filter, dialog, onAction, onShow, onDialog } = props;
  const { InviteDialog } = useInboxServices();
  const openAt = shown.findIndex(({ id }) => id === openId);
  const row = typeof dialog === 'object' ? dialog : null;
  const close = () => onDialog(null);
  return (
    <>
      {openId !== null && (
        <NotificationDetail
          id={openId}
          onAction={onAction}
          onClose={props.onCloseDetail}
          onNext={shown[openAt + 1] ? () => onShow(shown[openAt + 1]) : null}
          onPrevious={openAt > 0 ? () => onShow(shown[openAt - 1]) : null}
        />
      )}
      {dialog === 'options' && (
        <InboxOptions onClose={close} onSelect={props.onSelect} onInvite={() => onDialog('invite')} />
      )}
      {dialog === 'keys' && <KeyboardHelp onClose={close} />}
      {dialog === 'filter' && <FilterSheet filter={filter} onClose={close} />}
      {dialog === 'view' && <SaveViewDialog filter={filter} onClose={close} />}
      {row?.type === 'snooze' && (
        <SnoozeDialog
          notifications={row.notifications}
          onClose={close}
          onSnooze={() => props.onSnooze(row.id)}
        />
      )}
      {row?.type === 'menu' && (
        <RowMenu
          key={row.id}
          notifications={row.notifications}
          rowId={row.id}
          onAction={(action) => onAction(action, row.notifications, row.id)}
          onClose={close}
        />
      )}
      {InviteDialog && dialog === 'invite' && <InviteDialog open onClose={close} />}
    </>
  );
}
