import { useState, type ReactNode } from 'react';
import { flushSync } from 'react-dom';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/overlay/dialog.tsx';
import { Menu } from '../../../ui/overlay/menu.tsx';
import { useMedia } from '../../../ui/state/use-media.ts';
import { BlockIcon, FlagIcon, MuteIcon, SelectIcon } from '../../../ui/overlay/menu-icons.tsx';
import styles from './row-menu.module.css';
import { groupTypeOf, type Rows } from '../model/list-entries.ts';
import { MuteDialog } from '../senders/mute-dialog.tsx';
import { ReportDialog } from '../senders/report-dialog.tsx';
import { inboxDialogTexts } from '../texts/inbox-dialog-texts.ts';
import { notificationThread, useSenderCommands } from '../senders/use-sender-commands.ts';
import { rowActions, rowMenuMediaQuery, type RowAction } from './row-actions.ts';
import { shortcutKeys, type Shortcut } from '../actions/shortcuts.ts';
import { inboxTexts } from '../texts/inbox-texts.ts';
import { notificationActor, rowTitle } from '../texts/notification-words.ts';

export interface RowMenuProps {
  /** One notification, or those of a group. */
  readonly notifications: Rows;
  readonly rowId: string;
  readonly onAction: (action: RowAction) => void;
  readonly onClose: () => void;
}

/**
 * All actions of a row: a menu at its button, a sheet on phones. A group offers to block or mute what all its
 * notifications share.
 */
export function RowMenu({ notifications, rowId, onAction, onClose }: RowMenuProps) {
  const [button] = useState(() => findMenuButton(rowId));
  const hasRoom = useMedia(rowMenuMediaQuery);
  const isMenu = hasRoom && button !== null;
  const [notification] = notifications;
  const texts = inboxTexts.use();
  const senders = inboxDialogTexts.use().senders;
  const commands = useSenderCommands();
  const [next, setNext] = useState<'mute' | 'report' | null>(null);
  const { entityType } = notification;
  const senderId = notifications.every((row) => row.senderId === notification.senderId)
    ? notification.senderId
    : null;
  const title = rowTitle(notifications, texts);
  const name = notifications.length > 1 ? texts.several(title, notifications.length) : title;
  const actor = notificationActor(notification) ?? senders.sender;
  const thread = groupTypeOf(notifications) === 'sender' ? null : notificationThread(notification);
  const entity = thread?.entityName ?? texts.something(entityType, 'object');
  const act = (name: RowAction) => {
    // The dialog returns the focus to the row, from which the action moves it on.
    flushSync(onClose);
    onAction(name);
  };
  const item = (word: string, icon: ReactNode, onClick: () => void, shortcut?: Shortcut) => (
    <RowMenuItem key={word} {...{ word, icon, onClick, shortcut, isMenu }} />
  );
  const { read, unsnooze, archive, snooze, remove } = rowActions(notifications, texts);
  const select = ['select', texts.select, SelectIcon] as const;
  if (next === 'report') return <ReportDialog notification={notification} onClose={onClose} />;
  if (next === 'mute' && thread) return <MuteDialog thread={thread} name={entity} onClose={onClose} />;
  const lists = (
    <>
      <ul className={styles.items} role={isMenu ? 'group' : undefined}>
        {[unsnooze, read, snooze, archive, select, remove].map((button) => {
          if (!button) return null;
          const [action, word, Icon] = button;
          return item(word, <Icon />, () => act(action), action === 'unsnooze' ? undefined : action);
        })}
      </ul>
      <ul className={styles.items} role={isMenu ? 'group' : undefined}>
        {senderId !== null &&
          item(senders.block(actor), <BlockIcon />, () => {
            flushSync(onClose);
            commands.block(senderId, actor);
          })}
        {thread && item(senders.mute(entity), <MuteIcon />, () => setNext('mute'))}
        {item(senders.report, <FlagIcon />, () => setNext('report'))}
      </ul>
    </>
  );
  return isMenu ? (
    <Menu button={button} label={texts.actionOn(texts.more, name)} onClose={onClose}>
      {lists}
    </Menu>
  ) : (
    <Dialog open sheet titleClass={styles.title} onClose={onClose} title={name} closeLabel={texts.close}>
      {lists}
    </Dialog>
  );
}

interface RowMenuItemProps {
  readonly word: string;
  readonly icon: ReactNode;
  readonly onClick: () => void;
  /** The action's key, which the menu shows. */
  readonly shortcut: Shortcut | undefined;
  readonly isMenu: boolean;
}

function RowMenuItem({ word, icon, onClick, shortcut, isMenu }: RowMenuItemProps) {
  return (
    <li role={isMenu ? 'none' : undefined}>
      <Button
        {...(isMenu && { role: 'menuitem', tabIndex: -1 })}
        look="quiet"
        wide
        className={styles.item}
        onClick={onClick}
      >
        {icon}
        <span className={styles.word}>{word}</span>
        {isMenu && shortcut && <kbd aria-hidden="true">{shortcutKeys[shortcut][0]?.toUpperCase()}</kbd>}
      </Button>
    </li>
  );
}

/**
 * The button that opens the menu of a row: the focused one, else that of the row, since some browsers do not focus a button
 * that is clicked; null: neither is in the page.
 */
function findMenuButton(rowId: string): HTMLElement | null {
  const focused = document.activeElement;
  if (focused instanceof HTMLElement && focused.hasAttribute('aria-haspopup')) return focused;
  const rows = [...document.querySelectorAll<HTMLElement>('main [data-id]')];
  const row = rows.find(({ dataset }) => dataset['id'] === rowId);
  return row?.querySelector<HTMLElement>('[aria-haspopup]') ?? null;
}
