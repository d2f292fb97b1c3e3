/** Errors of chunks and style sheets that failed to load. */
const failures = new WeakSet<object>();

/**
 * Records which errors are failed chunk loads. The error itself is not handled here: a preload may fail without harm,
 * and a failed render reaches an error boundary.
 */
export function followChunkFailures(page: Window): void {
  page.addEventListener('vite:preloadError', ({ payload }) => {
    failures.add(payload);
    // The next import() retries a script, but a failed style sheet is never retried by the browser.
    const [, sheet] = /CSS for (\S+)/.exec(payload.message) ?? [];
    const link = [...page.document.querySelectorAll('link')].find(({ href }) => href === sheet);
    page.addEventListener('online', () => link?.replaceWith(link.cloneNode()), { once: true });
  });
}

export function isChunkFailure(problem: unknown): boolean {
  return problem instanceof Object && failures.has(problem);
}

/**
 * Reloads once when a chunk is missing although the site responds: a newer version was published. At most once a minute,
 * to avoid a reload loop, and never while the site is unreachable, since the browser's error page would replace this one.
 *
 * @returns whether the page is about to reload.
 */
export async function reloadIfReplaced(): Promise<boolean> {
  const key = 'reloaded-at';
  try {
    if (!navigator.onLine || Date.now() - Number(sessionStorage.getItem(key)) < 60_000) return false;
    const { ok } = await fetch(location.pathname, { method: 'HEAD', cache: 'no-store' });
    if (!ok) return false;
    sessionStorage.setItem(key, String(Date.now()));
  } catch {
    return false;
  }
  location.reload();
  return true;
}
