/** The edges of an element in the window, in pixels. */
export type Edges = Pick<DOMRect, 'top' | 'bottom' | 'left' | 'right'>;

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** Between the menu and its button, and between the menu and the edge of the window, in pixels. */
const gapPx = 4;
const marginPx = 8;

/**
 * Where a menu opens: below its button, above it where there is no room below, with the ends of both aligned, and always
 * inside the window.
 */
export function placeMenu(
  button: Edges,
  menu: Size,
  window: Size,
  isRightToLeft: boolean,
): { readonly left: number; readonly top: number } {
  const inside = (value: number, size: number, end: number) =>
    Math.max(marginPx, Math.min(value, end - size - marginPx));
  const below = button.bottom + gapPx;
  const fitsBelow = below + menu.height + marginPx <= window.height;
  const top = fitsBelow ? below : button.top - gapPx - menu.height;
  return {
    left: inside(isRightToLeft ? button.left : button.right - menu.width, menu.width, window.width),
    top: inside(top, menu.height, window.height),
  };
}

/** Places a menu or a dialog, which is shown already, at its button. */
export function placeAt(menu: HTMLElement, button: HTMLElement): void {
  const { clientWidth, clientHeight } = document.documentElement;
  const { left, top } = placeMenu(
    button.getBoundingClientRect(),
    { width: menu.offsetWidth, height: menu.offsetHeight },
    { width: clientWidth, height: clientHeight },
    getComputedStyle(button).direction === 'rtl',
  );
  menu.style.setProperty('left', `${left}px`);
  menu.style.setProperty('top', `${top}px`);
}
