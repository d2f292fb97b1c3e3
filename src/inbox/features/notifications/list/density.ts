import { createDeviceChoice } from '../../../ui/list/device-switch.ts';

export const densities = ['comfortable', 'compact'] as const;
/** The height of rows: 56 or 36 px. */
export type Density = (typeof densities)[number];

export const densityChoice = createDeviceChoice<Density>('inbox-density', densities);
