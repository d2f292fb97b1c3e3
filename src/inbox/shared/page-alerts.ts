import { createDeviceSwitch } from '../ui/list/device-switch.ts';

/** Whether an open page in the background shows alerts: the user wants them, and this device has no push messages. */
export const pageAlerts = createDeviceSwitch('desktop-notifications', false);

/** Whether the alerts of the page are on, and the browser permits them. */
export function arePageAlertsOn(): boolean {
  return pageAlerts.getSnapshot() && globalThis.Notification?.permission === 'granted';
}
