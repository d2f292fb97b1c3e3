import { AxeBuilder } from '@axe-core/playwright';
import { expect, type Page } from '@playwright/test';

const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];
const phone = { width: 320, height: 640 };
const desktop = { width: 1280, height: 800 };

export interface StateOptions {
  /** Where the state exists. Default both. */
  readonly only?: 'phone' | 'desktop';
  /** A state of a screen that was looked at whole before: light on the desktop and dark on the phone are enough. */
  readonly isVariant?: boolean;
}

/**
 * Holds one state of a screen against WCAG 2.2 AA, on a phone and on a desktop, light and dark. What depends on
 * colours alone is all that the second theme of a size is asked for.
 */
export async function expectAccessible(
  page: Page,
  state: string,
  { only, isVariant = false }: StateOptions = {},
): Promise<void> {
  const sizes = { phone, desktop };
  await expect(page.locator('h1').first()).toBeVisible();
  for (const size of ['desktop', 'phone'] as const) {
    if (only && only !== size) continue;
    await page.setViewportSize(sizes[size]);
    for (const colorScheme of ['light', 'dark'] as const) {
      const isFull = (size === 'phone') === (colorScheme === 'dark');
      if (isVariant && !isFull) continue;
      await page.emulateMedia({ colorScheme });
      const found = await findViolations(page, isFull);
      expect.soft(found, `${state}, ${size}, ${colorScheme}`).toEqual([]);
    }
    const measured = await page.evaluate(measureLayout);
    expect.soft(measured.overflowPx, `${state}, ${size}: nothing overflows sideways`).toBeLessThanOrEqual(0);
    expect.soft(measured.small, `${state}, ${size}: controls of 24 px at least`).toEqual([]);
  }
}

async function findViolations(page: Page, isFull: boolean): Promise<readonly string[]> {
  await page.evaluate(() =>
    Promise.allSettled(
      document
        .getAnimations()
        .filter((animation) => Number.isFinite(animation.effect?.getComputedTiming().endTime))
        .map(({ finished }) => finished),
    ),
  );
  // Without the legacy mode each run opens a page of its own, for frames that there are none of.
  const axe = new AxeBuilder({ page }).options({ resultTypes: ['violations'] }).setLegacyMode(true);
  const { violations } = await (isFull ? axe.withTags(tags) : axe.withRules(['color-contrast'])).analyze();
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')}: ${failureSummary}`),
  );
}

/** Runs in the page. */
function measureLayout(): { readonly overflowPx: number; readonly small: readonly string[] } {
  const small: string[] = [];
  for (const control of document.querySelectorAll<HTMLElement>('a[href], button, input, select, textarea')) {
    if (!control.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
    const isInline = getComputedStyle(control).display === 'inline' && control.tagName === 'A';
    // The label of a checkbox or switch takes clicks for it.
    const target = control.closest('label') ?? control;
    const { width, height } = target.getBoundingClientRect();
    const isOffered = width > 1 && height > 1;
    if (!isInline && isOffered && (width < 24 || height < 24))
      small.push(`${control.outerHTML.slice(0, 120)} ${Math.round(width)} x ${Math.round(height)}`);
  }
  return { overflowPx: document.documentElement.scrollWidth - innerWidth, small };
}
