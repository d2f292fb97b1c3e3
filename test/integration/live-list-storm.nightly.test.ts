import { describeStorm } from '../support/storm/live-list-storm.ts';

/** Set `STORMS=10000` for a long run. */
describeStorm(Number(process.env['STORMS'] ?? 500));
