import { createDeviceSwitch } from './device-switch.ts';

/** Whether the reader of this device asked for desktop notifications. */
export const desktopChoice = createDeviceSwitch('desktop-notifications', false);

/** They are shown where they were asked for, as long as the browser permits it. */
export function isDesktopChosen(): boolean {
  return desktopChoice.getSnapshot() && desktopPermission() === 'granted';
}

/** null: this browser has no such notifications. */
export function desktopPermission(): NotificationPermission | null {
  return typeof Notification === 'undefined' ? null : Notification.permission;
}
