import { createDeviceSwitch } from '../arrivals/device-switch.ts';

export type Shortcut =
  | 'next'
  | 'previous'
  | 'open'
  | 'read'
  | 'archive'
  | 'remove'
  | 'select'
  | 'allRead'
  | 'undo'
  | 'help';

/** The keys, as `KeyboardEvent.key` names them. Enter opens by itself: it is a link's own key. */
export const shortcutKeys: Readonly<Record<Shortcut, readonly string[]>> = {
  next: ['j', 'ArrowDown'],
  previous: ['k', 'ArrowUp'],
  open: ['o'],
  read: ['r'],
  archive: ['e'],
  remove: ['Delete', '#'],
  select: ['x'],
  allRead: ['R'],
  undo: ['z'],
  help: ['?'],
};

interface KeyPress {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
}

/** The shortcut of a key press; null with a modifier that belongs to the browser or the system. */
export function parseShortcut({ key, ctrlKey, metaKey, altKey }: KeyPress): Shortcut | null {
  if (ctrlKey || metaKey || altKey) return null;
  const found = Object.entries(shortcutKeys).find(([, keys]) => keys.includes(key));
  return (found?.[0] as Shortcut | undefined) ?? null;
}

/** Whether the reader wants shortcuts (WCAG 2.1.4). Arrow keys and Delete are no characters and always work. */
export const shortcutsEnabled = createDeviceSwitch('inbox-shortcuts', true);
