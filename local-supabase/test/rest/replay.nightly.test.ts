import { describeReplay } from './describe-replay.ts';

describeReplay('nightly');
