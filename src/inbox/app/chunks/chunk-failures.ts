/** Errors of chunks and style sheets that failed to load. */
const failures = new WeakSet<object>();

/**
 * Records which errors are failed chunk loads. The error itself is not handled here: a preload may fail without harm,
 * and a failed render reaches an error boundary.
 */
export function followChunkFailures(page: Window): void {
  page.addEventListener('vite:preloadError', ({ payload }) => {
    failures.add(payload);
    // The browser never retries a failed style sheet.
    const [, sheet] = /CSS for (\S+)/.exec(payload.message) ?? [];
    const link = [...page.document.querySelectorAll('link')].find(({ href }) => href === sheet);
    page.addEventListener('online', () => link?.replaceWith(link.cloneNode()), { once: true });
  });
}

export function isChunkFailure(problem: unknown): boolean {
  return problem instanceof Object && failures.has(problem);
}
