/** The exports of a bundle with a faulty client, for the mutation run. */
export { chooseAudits } from '../../src/audits/audits.ts';
export { createDeadlineScale } from '../../src/target/deadlines.ts';
export { runAudits } from '../../src/runner/runner.ts';
