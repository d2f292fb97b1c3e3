import { defineConfig } from '@playwright/test';
import base from './playwright.config.ts';

const unmetNeeds = (process.env['E2E_UNMET_NEEDS'] ?? '').split(' ').filter(Boolean);

/** `npm run e2e:project`: the journeys of every day and of every night on a project that runs elsewhere. */
export default defineConfig({
  ...base,
  outputDir: 'test-results/e2e-project',
  reporter: [['list'], ['json', { outputFile: 'test-results/playwright-project.json' }]],
  projects: [
    {
      name: 'project',
      grepInvert: unmetNeeds.map((need) => new RegExp(`${need}(?![\\w-])`)),
    },
  ],
  // The project redirects to one port of the application, its site URL.
  workers: 1,
});
