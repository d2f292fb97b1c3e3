import type { Platform } from 'supabase-protocol-clients/platform';

const hourMs = 3_600_000;

/**
 * Checks for a newer version each hour in a visible page, and in a hidden one when it is shown again, because the browser
 * itself checks upon navigations only.
 */
export function checkForUpdates(
  { clock, page }: Pick<Platform, 'clock' | 'page'>,
  update: () => Promise<unknown>,
): void {
  let checkedAtMs = clock.now();
  const check = () => {
    if (!page.isVisible() || clock.now() - checkedAtMs < hourMs) return;
    checkedAtMs = clock.now();
    // Without a network the next check finds the version.
    update().catch(() => undefined);
  };
  const checkLater = () => {
    clock.setTimer(() => {
      check();
      checkLater();
    }, hourMs / 6);
  };
  checkLater();
  page.subscribe((signal) => {
    if (signal === 'visible') check();
  });
}
