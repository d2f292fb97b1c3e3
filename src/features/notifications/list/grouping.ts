import { createDeviceSwitch } from '../arrivals/device-switch.ts';

/** Whether many edits or comments by one person in one entity are one row. */
export const groupingChoice = createDeviceSwitch('inbox-grouping', true);
