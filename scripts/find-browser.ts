import { locateBrowser } from './browser.ts';
import { installBrowser } from './install-browser.ts';

try {
  console.log(`Browser: ${locateBrowser() ?? installBrowser()}`);
} catch (problem) {
  console.error(problem instanceof Error ? problem.message : problem);
  process.exitCode = 1;
}
