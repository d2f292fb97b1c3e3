/** Whether the site responds: a reload without it would replace this page by the browser's error page. */
async function isSiteReachable(): Promise<boolean> {
  try {
    return navigator.onLine && (await fetch(location.pathname, { method: 'HEAD', cache: 'no-store' })).ok;
  } catch {
    return false;
  }
}

/** Reloads the page unless the site is unreachable. @returns whether the page is about to reload. */
export async function reloadIfReachable(): Promise<boolean> {
  const isReachable = await isSiteReachable();
  if (isReachable) location.reload();
  return isReachable;
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
