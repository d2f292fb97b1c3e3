/** In windows this wide a row's menu opens at its button; in narrower ones it is a sheet. */
export const rowMenuMediaQuery = '(min-width: 640px)';

/** What a button that opens a row's menu announces. */
export function rowMenuPopup(): 'menu' | 'dialog' {
  return globalThis.matchMedia?.(rowMenuMediaQuery).matches ? 'menu' : 'dialog';
}
