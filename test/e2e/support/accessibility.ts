import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeBuilder } from '@axe-core/playwright';
import { expect, type Page } from '@playwright/test';

type AxeResults = Awaited<ReturnType<AxeBuilder['analyze']>>;

const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];
const sizes = { desktop: { width: 1280, height: 800 }, phone: { width: 320, height: 640 } };

// AxeBuilder would send this half a megabyte twice per run; here each document gets it once.
const axeSource = readFileSync(
  createRequire(import.meta.resolve('@axe-core/playwright')).resolve('axe-core/axe.min.js'),
  'utf8',
);

export interface StateOptions {
  /** Where the state exists. Default both. */
  readonly only?: keyof typeof sizes;
}

/** Checks one state of a screen against WCAG 2.2 AA, on a phone and on a desktop, light and dark. */
export async function expectAccessible(
  page: Page,
  state: string,
  { only }: StateOptions = {},
): Promise<void> {
  await expect(page.locator('h1').first()).toBeVisible();
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axeSource);
  for (const size of only ? [only] : (['desktop', 'phone'] as const)) {
    await page.setViewportSize(sizes[size]);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      const found = await page.evaluate(findViolations, tags);
      expect.soft(found, `${state}, ${size}, ${colorScheme}`).toEqual([]);
    }
    const measured = await page.evaluate(measureLayout);
    expect.soft(measured.overflowPx, `${state}, ${size}: nothing overflows sideways`).toBeLessThanOrEqual(0);
    expect.soft(measured.small, `${state}, ${size}: controls of 24 px at least`).toEqual([]);
  }
}

/** Runs in the page, where axe is. */
async function findViolations(values: readonly string[]): Promise<readonly string[]> {
  await Promise.allSettled(
    document
      .getAnimations()
      .filter((animation) => Number.isFinite(animation.effect?.getComputedTiming().endTime))
      .map(({ finished }) => finished),
  );
  const { axe } = window as unknown as {
    axe: { run(context: Document | Element, options: object): Promise<AxeResults> };
  };
  const options = { runOnly: { type: 'tag', values }, resultTypes: ['violations'] };
  const { violations } = await axe.run(document, options);
  const found = violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => ({
      id,
      selector: target.join(' '),
      text: `${id}: ${target.join(' ')}: ${failureSummary}`,
    })),
  );
  const confirmed: string[] = [];
  for (const { id, selector, text } of found) {
    const element = id === 'target-size' ? document.querySelector(selector) : null;
    if (element) {
      // A fixed bar may cover a row that a person scrolls away from it.
      element.scrollIntoView({ block: 'center' });
      const again = await axe.run(element, { runOnly: { type: 'rule', values: [id] } });
      if (again.violations.length === 0) continue;
    }
    confirmed.push(text);
  }
  return confirmed;
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
