import type { ComponentType } from 'react';

/** A screen whose code is a chunk of its own. A call loads it; further ones load nothing. */
export interface ScreenChunk<Props extends object = object> {
  (): Promise<{ readonly default: ComponentType<Props> }>;
  /** The screen, as soon as it was loaded. */
  screen?: ComponentType<Props>;
}

export function screenChunk<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): ScreenChunk<Props> {
  const chunk: ScreenChunk<Props> = async () => ({ default: (chunk.screen = await load()) });
  return chunk;
}

/** Code and styles that could not be had. */
const failures = new WeakSet<object>();

/**
 * Remembers which failures are those of a chunk. Nothing else is done about one: it may have been asked for in advance,
 * or whoever asked has a way on. Only what the page cannot be without comes to an error boundary.
 */
export function followChunkFailures(page: Window): void {
  page.addEventListener('vite:preloadError', ({ payload }) => {
    failures.add(payload);
    // Code is asked for again with the next import, a style sheet never.
    const [, sheet] = /CSS for (\S+)/.exec(payload.message) ?? [];
    const link = [...page.document.querySelectorAll('link')].find(({ href }) => href === sheet);
    page.addEventListener('online', () => link?.replaceWith(link.cloneNode()), { once: true });
  });
}

export function isChunkFailure(problem: unknown): boolean {
  return problem instanceof Object && failures.has(problem);
}

/**
 * A chunk that is gone from a site that answers means that a newer version was published: one reload fetches it; a
 * second would be a loop. Without the site a reload would only put the browser's error page in our place.
 *
 * @returns whether the page is about to go.
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
