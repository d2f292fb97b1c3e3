/** The exports of a bundle with a faulty client, for the mutation run. */
export { chooseAudits } from '../../src/audits.ts';
export { createDeadlineScale } from '../../src/deadlines.ts';
export { runAudits } from '../../src/runner.ts';
