import { findBrowser } from './browser.ts';

try {
  console.log(`Browser: ${findBrowser()}`);
} catch (problem) {
  console.error(problem instanceof Error ? problem.message : problem);
  process.exitCode = 1;
}
