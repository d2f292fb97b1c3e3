/** A `ref` for what takes the focus as it appears, where it stands in for what had it. */
export const takeFocus = (element: HTMLElement | null): void => element?.focus();
