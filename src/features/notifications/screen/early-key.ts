let kept: { readonly event: Event; readonly focused: Element | null } | null = null;

/** After this time a key no longer belongs to what the user sees. */
const longestWaitMs = 5_000;

/** A click after a key supersedes it. */
const kinds = ['keydown', 'pointerdown'] as const;

function keep(event: Event): void {
  kept = { event, focused: document.activeElement };
}

/**
 * Keeps the last key that is pressed while the code of the shortcuts is loading.
 *
 * @returns stops listening.
 */
export function keepEarlyKey(): () => void {
  for (const kind of kinds) addEventListener(kind, keep);
  return () => {
    for (const kind of kinds) removeEventListener(kind, keep);
  };
}

/** Presses the kept key again for the shortcuts that listen now, if it is recent and the focus has not moved since. */
export function replayEarlyKey(): void {
  if (!kept) return;
  const { event, focused } = kept;
  kept = null;
  const isCurrent = focused === document.activeElement && performance.now() - event.timeStamp < longestWaitMs;
  if (event instanceof KeyboardEvent && isCurrent && !event.defaultPrevented)
    event.target?.dispatchEvent(new KeyboardEvent('keydown', event));
}
