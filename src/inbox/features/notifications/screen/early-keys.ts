/** The keys since the last click or move of the focus. */
let kept: readonly KeyboardEvent[] = [];
let focused: Element | null = null;

const kinds = ['keydown', 'pointerdown'] as const;

function keep(event: Event): void {
  if (focused !== document.activeElement) kept = [];
  focused = document.activeElement;
  kept = event instanceof KeyboardEvent ? [...kept, event] : [];
}

/**
 * Keeps the keys that are pressed while the code of the shortcuts is loading.
 *
 * @returns stops listening.
 */
export function keepEarlyKeys(): () => void {
  for (const kind of kinds) addEventListener(kind, keep);
  return () => {
    for (const kind of kinds) removeEventListener(kind, keep);
  };
}

/** The kept keys, once; none if the focus has moved since. */
export function takeEarlyKeys(): readonly KeyboardEvent[] {
  const taken = focused === document.activeElement ? kept : [];
  kept = [];
  return taken;
}
