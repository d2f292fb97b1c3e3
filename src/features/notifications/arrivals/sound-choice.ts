import { createDeviceSwitch } from './device-switch.ts';

/** Whether the reader of this device wants to hear that something came in. */
export const soundChoice = createDeviceSwitch('notification-sound', false);
