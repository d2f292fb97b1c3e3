import { createDeviceSwitch } from '../../../ui/list/device-switch.ts';

/** The keys, as `KeyboardEvent.key` names them; two letters are pressed one after the other. Enter has no entry, because it follows the focused link. */
const keys = {
  next: ['j', 'ArrowDown'],
  previous: ['k', 'ArrowUp'],
  open: ['o'],
  read: ['r'],
  archive: ['e'],
  remove: ['#', 'Delete'],
  snooze: ['h'],
  search: ['/'],
  select: ['x'],
  allRead: ['R'],
  undo: ['z'],
  goInbox: ['g i'],
  goPreferences: ['g p'],
  escape: ['Escape'],
  help: ['?'],
};

export type Shortcut = keyof typeof keys;
export const shortcutKeys: Readonly<Record<Shortcut, readonly string[]>> = keys;

/**
 * The shortcut of a key press; null with a modifier that belongs to the browser or the system.
 *
 * @param prefix the letter that was pressed before, for shortcuts of two letters.
 */
export function parseShortcut(
  { key, ctrlKey, metaKey, altKey }: Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey'>,
  prefix: string | null = null,
): Shortcut | null {
  if (ctrlKey || metaKey || altKey) return null;
  const sequence = prefix === null ? key : `${prefix} ${key}`;
  const found = Object.entries(shortcutKeys).find(([, keys]) => keys.includes(sequence));
  return (found?.[0] as Shortcut | undefined) ?? null;
}

/** The first letters of shortcuts of two letters. */
export const prefixKeys: readonly string[] = ['g'];

/** Whether letter shortcuts are on (WCAG 2.1.4). Keys that are no characters always work. */
export const shortcutsEnabled = createDeviceSwitch('inbox-shortcuts', true);
