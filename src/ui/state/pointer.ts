let isDown = false;

if (typeof document !== 'undefined') {
  document.addEventListener('pointerdown', () => (isDown = true), true);
  for (const type of ['pointerup', 'pointercancel'] as const) {
    document.addEventListener(type, () => (isDown = false), true);
  }
}

/**
 * Runs `task` at once, or, while a pointer is down, after its click: a layout shift under a pressed button would cancel
 * the click.
 */
export function afterPointer(task: () => void): void {
  if (!isDown) return task();
  document.addEventListener('pointerup', () => setTimeout(task), { once: true });
}
