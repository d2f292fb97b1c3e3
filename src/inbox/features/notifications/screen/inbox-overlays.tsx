import { NotificationDetail } from '../detail/notification-detail.tsx';
import { useInboxServices } from '../data/inbox-context.ts';
import type { OnRowAction } from '../list/notification-row.tsx';
import { RowMenu } from '../list/row-menu.tsx';
import type { Notification } from '../model/notification.ts';
import type { NotificationFilter } from '../model/notification-filter.ts';
import { SnoozeDialog } from '../snooze/snooze-dialog.tsx';
import { FilterSheet, SaveViewDialog } from './filter-sheet.tsx';
import { InboxOptions, KeyboardHelp } from './inbox-options.tsx';
import type { InboxDialog } from './inbox-toolbar.tsx';

/** The row that a menu or a dialog is about. */
export interface RowTarget {
  readonly id: string;
  readonly notifications: readonly [Notification, ...Notification[]];
}

export interface InboxOverlaysProps {
  /** The notification that the detail shows. */
  readonly openId: string | null;
  readonly shown: readonly Notification[];
  readonly filter: NotificationFilter;
  readonly dialog: InboxDialog | null;
  readonly menuOf: RowTarget | null;
  readonly snoozing: RowTarget | null;
  readonly onAction: OnRowAction;
  readonly onShow: (notification: Notification | undefined) => void;
  readonly onCloseDetail: () => void;
  readonly onDialog: (dialog: InboxDialog | null) => void;
  readonly onCloseMenu: () => void;
  readonly onCloseSnooze: () => void;
  /** Called before the notifications of a row are snoozed. */
  readonly onSnooze: (target: RowTarget) => void;
  readonly onSelect: () => void;
}

/** The detail, menus and dialogs over or beside the list. Loaded after the first list. */
export function InboxOverlays(props: InboxOverlaysProps) {
  const { openId, shown, filter, dialog, menuOf, snoozing, onAction, onShow, onDialog } = props;
  const { InviteDialog } = useInboxServices();
  const openAt = shown.findIndex(({ id }) => id === openId);
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
      {dialog === 'view' && <SaveViewDialog filter={filter} name="" onClose={close} />}
      {snoozing && (
        <SnoozeDialog
          notifications={snoozing.notifications}
          onClose={props.onCloseSnooze}
          onSnooze={() => props.onSnooze(snoozing)}
        />
      )}
      {menuOf && (
        <RowMenu
          key={menuOf.id}
          notifications={menuOf.notifications}
          rowId={menuOf.id}
          onAction={(action) => onAction(action, menuOf.notifications, menuOf.id)}
          onClose={props.onCloseMenu}
        />
      )}
      {InviteDialog && dialog === 'invite' && <InviteDialog open onClose={close} />}
    </>
  );
}
