import { expect, type Locator, type Page } from '@playwright/test';

/** Uses a page by its keys only. Each step checks that the focus can be seen. */
export interface Keyboard {
  /** Presses Tab until the control has the focus. */
  to(target: Locator, key?: 'Tab' | 'Shift+Tab'): Promise<void>;
  /** Presses Tab until the control has the focus, then a key. Default: Enter. */
  press(target: Locator, key?: string): Promise<void>;
  /** Presses Tab until the field has the focus, and types over what it contains. */
  type(target: Locator, text: string): Promise<void>;
  /** Presses keys one after the other, where the focus is. */
  keys(...keys: readonly string[]): Promise<void>;
  /** Throws if the page received an event of a pointer. */
  expectNoPointer(): Promise<void>;
}

/** Maximum number of Tab stops of a screen. */
const maxStops = 90;

export async function createKeyboard(page: Page): Promise<Keyboard> {
  await page.addInitScript(() => {
    for (const type of ['pointerdown', 'pointerup', 'mousedown', 'wheel', 'touchstart'])
      addEventListener(type, () => sessionStorage.setItem('pointer-event', type), { capture: true });
  });
  const to: Keyboard['to'] = async (target, key = 'Tab') => {
    await target.waitFor();
    const passed: string[] = [];
    for (let stops = 0; stops < maxStops; stops += 1) {
      if (await target.evaluate((element) => element === document.activeElement)) return;
      await page.keyboard.press(key);
      const { name, fault } = await page.evaluate(describeFocus);
      expect(fault, `the focus on ${name}`).toBeNull();
      passed.push(name);
    }
    throw new Error(`${key} does not lead to ${String(target)}, but to ${passed.join(', ')}`);
  };
  return {
    to,
    async press(target, key = 'Enter') {
      await to(target);
      await page.keyboard.press(key);
    },
    async type(target, text) {
      await to(target);
      await page.keyboard.press('ControlOrMeta+A');
      await page.keyboard.type(text);
    },
    async keys(...keys) {
      for (const key of keys) await page.keyboard.press(key);
    },
    async expectNoPointer() {
      expect(await page.evaluate(() => sessionStorage.getItem('pointer-event'))).toBeNull();
    },
  };
}

/**
 * Runs in the page: the focused control, and why its focus cannot be seen: it has no outline of 2 px, or it is outside of the
 * window or below another element. Between the last control and the first one the browser's own have the focus.
 */
function describeFocus(): { readonly name: string; readonly fault: string | null } {
  const element = document.activeElement;
  if (!(element instanceof HTMLElement) || element === document.body)
    return { name: 'the browser', fault: null };
  const name = `${element.tagName.toLowerCase()} “${(
    element.getAttribute('aria-label') ??
    element.closest('label')?.textContent ??
    element.textContent ??
    ''
  )
    .trim()
    .slice(0, 50)}”`;
  const label = element.closest('label');
  // A field with its icon has the outline around both; the parts of a field of a time have the browser's own.
  const hasOutline =
    element.matches('[type=time], [type=datetime-local]') ||
    [element, label, element.parentElement].some((candidate) => {
      if (!candidate) return false;
      const { outlineStyle, outlineWidth } = getComputedStyle(candidate);
      return outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2;
    });
  if (!hasOutline) return { name, fault: 'has no outline' };
  const { left, top, width, height } = element.getBoundingClientRect();
  const isSeen = [0.5, 0.2, 0.8].some((part) => {
    const hit = document.elementFromPoint(left + width * 0.5, top + height * part);
    return hit !== null && (element.contains(hit) || hit.contains(element) || label?.contains(hit));
  });
  return { name, fault: isSeen ? null : `is not seen at ${Math.round(left)}, ${Math.round(top)}` };
}
