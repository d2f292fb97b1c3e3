import { openShot } from '../../scripts/shots/open-shot.ts';
import { shots } from '../../scripts/shots/shots.ts';
import { expectAccessible } from './support/accessibility.ts';
import { test } from './support/fixtures.ts';
import { shotSession } from './support/shot-session.ts';

// Every state that is pictured, beyond those that accessibility.spec.ts passes through.
for (const shot of shots)
  test(`${shot.name} is accessible`, { tag: ['@nightly', '@pictures'] }, async ({ browser, stage }) => {
    const storageState = shot.user && (await shotSession(browser, stage, shot.user));
    const context = await browser.newContext({
      reducedMotion: 'reduce',
      viewport: { width: 1280, height: 800 },
      ...(storageState && { storageState }),
    });
    try {
      const page = await context.newPage();
      page.setDefaultTimeout(40_000);
      await openShot(page, stage, shot);
      // On a phone the pill hovers over the buttons of a row until the list is scrolled.
      await expectAccessible(page, shot.name, shot.name === 'inbox-pill' ? { only: 'desktop' } : {});
    } finally {
      await context.close();
    }
  });
