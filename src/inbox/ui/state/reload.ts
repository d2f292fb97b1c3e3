const deadlineMs = 5_000;

/** Whether the site responds: a reload without it would replace this page by the browser's error page. */
async function isSiteReachable(): Promise<boolean> {
  if (!navigator.onLine) return false;
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(), deadlineMs);
  try {
    const { signal } = deadline;
    return (await fetch(location.pathname, { method: 'HEAD', cache: 'no-store', signal })).ok;
  } catch {
    return false;
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Reloads the page unless the site does not respond within 5 s.
 *
 * @param href where the page opens again, if it still shows the same path. Default: its current URL.
 * @returns whether the page is about to reload.
 */
export async function reloadIfReachable(href = location.href): Promise<boolean> {
  const isReachable = await isSiteReachable();
  if (!isReachable) return false;
  if (new URL(href).pathname === location.pathname) history.replaceState(history.state, '', href);
  location.reload();
  return true;
}

/**
 * Reloads once when a chunk is missing although the site responds: a newer version was published. At most once a minute,
 * to avoid a reload loop.
 *
 * @returns whether the page is about to reload.
 */
export async function reloadIfReplaced(): Promise<boolean> {
  const key = 'reloaded-at';
  try {
    if (Date.now() - Number(sessionStorage.getItem(key)) < 60_000 || !(await isSiteReachable())) return false;
    sessionStorage.setItem(key, String(Date.now()));
  } catch {
    return false;
  }
  location.reload();
  return true;
}
