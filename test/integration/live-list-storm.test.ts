import { describeStorm } from '../support/storm/live-list-storm.ts';

describeStorm(3);
