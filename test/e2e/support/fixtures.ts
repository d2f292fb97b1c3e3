import { test as base, expect } from '@playwright/test';
import { findWrongTags } from './needs.ts';
import { startStage, type Stage, type StageOptions } from './stage.ts';
import { createWorld, type World } from './world.ts';

/**
 * Each worker has its own stage, so that a test may move the clock, cut sockets and query the database. The faults that
 * it caused are repaired afterwards.
 */
export const test = base.extend<
  { mend: void },
  { liveSource: NonNullable<StageOptions['liveSource']>; stage: Stage; world: World }
>({
  // A project of playwright.config.ts sets it.
  liveSource: ['broadcast', { scope: 'worker', option: true }],
  stage: [
    async ({ liveSource }, use) => {
      const stage = await startStage({ liveSource });
      await use(stage);
      await stage.close();
    },
    { scope: 'worker' },
  ],
  world: [
    async ({ stage }, use) => {
      const world = createWorld(stage);
      await use(world);
      await world.close();
    },
    { scope: 'worker' },
  ],
  page: async ({ page }, use, testInfo) => {
    await use(page);
    if (testInfo.status === testInfo.expectedStatus) return;
    for (const [index, each] of page.context().pages().entries())
      await each.screenshot({ path: testInfo.outputPath(`page-${index + 1}.png`) });
  },
  mend: [
    async ({ stage }, use, testInfo) => {
      stage.used.clear();
      await use();
      await stage.mend();
      const isWhole = testInfo.status === 'passed';
      expect(findWrongTags(testInfo.tags, stage.used, isWhole), 'tags of test/e2e/support/needs.ts').toEqual(
        [],
      );
    },
    { auto: true },
  ],
});

export { expect };
export { confirmLink } from './world.ts';
export type { Person, World } from './world.ts';
