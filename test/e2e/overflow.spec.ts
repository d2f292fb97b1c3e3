import type { BrowserContextOptions, Page } from '@playwright/test';
import { openShot } from '../../scripts/shots/open-shot.ts';
import { shots } from '../../scripts/shots/shots.ts';
import { expect, test } from './support/fixtures.ts';
import { shotSession } from './support/shot-session.ts';

const phone: BrowserContextOptions = {
  viewport: { width: 320, height: 640 },
  hasTouch: true,
  isMobile: true,
  reducedMotion: 'reduce',
};

for (const language of ['en', 'de'] as const)
  for (const shot of shots)
    test(
      `${shot.name} fits into 320 px, in ${language}`,
      { tag: ['@nightly', '@pictures'] },
      async ({ browser, stage }) => {
        const storageState = shot.user && (await shotSession(browser, stage, shot.user));
        const context = await browser.newContext(storageState ? { ...phone, storageState } : phone);
        try {
          const page = await context.newPage();
          page.setDefaultTimeout(40_000);
          await openShot(page, stage, shot, { language });
          expect.soft(await page.evaluate(findOverflow), 'as it is').toEqual([]);
          await page.evaluate(lengthenTexts);
          expect.soft(await page.evaluate(findOverflow), 'with texts longer by 40 %').toEqual([]);
          await enlargeText(page);
          expect.soft(await page.evaluate(findOverflow), 'with longer texts in twice the size').toEqual([]);
        } finally {
          await context.close();
        }
      },
    );

async function enlargeText(page: Page): Promise<void> {
  await page.evaluate(() => {
    document.documentElement.style.fontSize = '200%';
  });
}

/** Runs in the page: makes each text 40 % longer, by words of usual length. */
function lengthenTexts(): void {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const texts: Text[] = [];
  while (walker.nextNode()) texts.push(walker.currentNode as Text);
  for (const text of texts) {
    // Names, addresses and numbers have the same length in every language.
    if (!/\p{L}{2}/u.test(text.data) || text.parentElement?.closest('script, style, [dir=auto]')) continue;
    const words = text.data.trim().split(/\s+/);
    let missing = Math.round(text.data.trim().length * 0.4);
    for (let index = 0; missing > 0; index += 1) {
      const word = (words[index % words.length] ?? '').slice(0, missing);
      text.data = `${text.data.trimEnd()} ${word}`;
      missing -= word.length + 1;
    }
  }
}

/**
 * Runs in the page: the elements that reach out of the window, and the texts that are cut off or reach out of their box.
 * What scrolls sideways by design, or is cut with an ellipsis, is left out.
 */
function findOverflow(): readonly string[] {
  const found: string[] = [];
  const describe = (element: Element) =>
    `${element.tagName.toLowerCase()} “${(element.textContent ?? '').trim().slice(0, 60)}”`;
  const isClipped = (element: Element): boolean =>
    getComputedStyle(element).clipPath !== 'none' ||
    (element.parentElement !== null && isClipped(element.parentElement));
  const isCut = (element: Element): boolean => {
    const { textOverflow, webkitLineClamp } = getComputedStyle(element);
    const cutsItself = textOverflow === 'ellipsis' || webkitLineClamp !== 'none';
    return cutsItself || (element.parentElement !== null && isCut(element.parentElement));
  };
  const excessPx = document.documentElement.scrollWidth - innerWidth;
  if (excessPx > 0) found.push(`the page by ${excessPx} px`);
  for (const element of document.body.querySelectorAll<HTMLElement>('*')) {
    if (!element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
    if (element.closest('svg, option, [aria-hidden=true], input')) continue;
    // Texts for screen readers are clipped away.
    if (isClipped(element)) continue;
    // A part of a text that is cut with an ellipsis.
    if (element.parentElement && isCut(element.parentElement)) continue;
    const { left, right, width, height } = element.getBoundingClientRect();
    if (width <= 1 || height <= 1) continue;
    const scrolls = (box: Element) => /auto|scroll/.test(getComputedStyle(box).overflowX);
    let scroller = element.parentElement;
    while (scroller && !(scrolls(scroller) && scroller.scrollWidth > scroller.clientWidth))
      scroller = scroller.parentElement;
    const isScrolled = scroller !== null && scroller.tagName === 'NAV';
    if (!isScrolled && (left < -1 || right > innerWidth + 1))
      found.push(`${describe(element)} from ${Math.round(left)} to ${Math.round(right)} px`);
    const mayBeCut = isCut(element) || scrolls(element);
    const hasText = [...element.childNodes].some(
      (node) => node.nodeType === Node.TEXT_NODE && (node.textContent ?? '').trim() !== '',
    );
    if (hasText && !mayBeCut && element.scrollWidth > element.clientWidth + 1 && element.clientWidth > 0)
      found.push(`${describe(element)} is ${element.scrollWidth} px wide in ${element.clientWidth} px`);
  }
  return found.slice(0, 8);
}
