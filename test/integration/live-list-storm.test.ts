import { describeStorm } from '../support/live-list-storm.ts';

describeStorm(3);
