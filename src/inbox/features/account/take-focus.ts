/** A `ref` that focuses an element when it mounts, where it replaces the control that had the focus. */
export const takeFocus = (element: HTMLElement | null): void => element?.focus();
