import { createDeviceSwitch } from '../../../ui/list/device-switch.ts';

export const desktopChoice = createDeviceSwitch('desktop-notifications', false);

/** Whether desktop alerts are switched on and permitted by the browser. */
export function isDesktopChosen(): boolean {
  return desktopChoice.getSnapshot() && desktopPermission() === 'granted';
}

/** The browser's permission; null where it has no desktop notifications. */
export function desktopPermission(): NotificationPermission | null {
  return typeof Notification === 'undefined' ? null : Notification.permission;
}
