const storageKey = 'desktop-notifications';

/** Whether the reader of this device asked for desktop notifications. */
export function isDesktopChosen(): boolean {
  try {
    return localStorage.getItem(storageKey) === 'on' && desktopPermission() === 'granted';
  } catch {
    return false;
  }
}

export function setDesktopChosen(isChosen: boolean): void {
  try {
    if (isChosen) localStorage.setItem(storageKey, 'on');
    else localStorage.removeItem(storageKey);
  } catch {
    // Without storage the choice cannot be kept, and is not made.
  }
}

/** null: this browser has no such notifications. */
export function desktopPermission(): NotificationPermission | null {
  return typeof Notification === 'undefined' ? null : Notification.permission;
}
