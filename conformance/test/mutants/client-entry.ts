/** What a bundle with a faulty client exports to the mutation run. */
export { chooseAudits } from '../../src/audits.ts';
export { createDeadlineScale } from '../../src/deadlines.ts';
export { runAudits } from '../../src/runner.ts';
