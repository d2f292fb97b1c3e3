/** From here on a row's menu opens at its button; in a narrower window it is a sheet. */
export const rowMenuQuery = '(min-width: 640px)';

/** What a button that opens a row's menu announces. */
export function rowMenuPopup(): 'menu' | 'dialog' {
  return globalThis.matchMedia?.(rowMenuQuery).matches ? 'menu' : 'dialog';
}
