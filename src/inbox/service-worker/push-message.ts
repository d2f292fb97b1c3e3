/** What the function `notification-push` sends (supabase/functions/_shared/push/render-push.ts). */
export interface PushMessage {
  readonly title: string;
  readonly body: string;
  /** BCP 47, of title and body. */
  readonly language: string;
  /** A later message with the same tag replaces the alert. */
  readonly tag: string;
  readonly path: string;
  readonly unreadCount: number;
}

/** The part of `WindowClient` in use. */
export interface OpenPage {
  readonly url: string;
  readonly visibilityState: DocumentVisibilityState;
  focus(): Promise<unknown>;
  postMessage(message: OpenPathMessage): void;
}

/** Requests an open page to show a path. */
export interface OpenPathMessage {
  readonly type: 'open-path';
  readonly path: string;
}

/** The part of `ServiceWorkerGlobalScope` in use. */
export interface PushScope {
  /** All pages of this site, also those that are not the application's. */
  pages(): Promise<readonly OpenPage[]>;
  /** The push resource of this device; null without a subscription. */
  endpoint(): Promise<string | null>;
  openPage(path: string): Promise<unknown>;
  showAlert(title: string, options: NotificationOptions): Promise<void>;
  /** Shows the number on the icon of the installed application, where the system can. */
  setBadge(count: number): Promise<void>;
}

/** Pages of this site that show no notification and open no path. */
export const staticPages: readonly RegExp[] = [/^\/clear-cookies/, /^\/unsubscribe/];

async function findApplicationPages(scope: PushScope): Promise<readonly OpenPage[]> {
  const pages = await scope.pages();
  return pages.filter(({ url }) => !staticPages.some((pattern) => pattern.test(new URL(url).pathname)));
}

/** null: the message is empty or not one of ours. */
export function parsePushMessage(text: string | undefined): PushMessage | null {
  try {
    const message = JSON.parse(text ?? '') as Partial<PushMessage>;
    const isWhole = typeof message.title === 'string' && typeof message.path === 'string';
    return isWhole ? (message as PushMessage) : null;
  } catch {
    return null;
  }
}

/**
 * Shows a push message, unless a page of the application is visible: it shows the notification itself. Safari ends the
 * subscription after three push messages without an alert, also above a visible page, and a suspended page of iOS stays visible.
 *
 * @param message null: a message that cannot be read; the alert names the application, as a browser's own would.
 */
export async function showPushMessage(message: PushMessage | null, scope: PushScope): Promise<void> {
  if (message) await scope.setBadge(message.unreadCount).catch(() => undefined);
  const pages = await findApplicationPages(scope);
  const isShownByPage = pages.some(({ visibilityState }) => visibilityState === 'visible');
  if (isShownByPage && !(await isSafari(scope))) return;
  await scope.showAlert(message?.title ?? 'Tidings', {
    ...(message && { body: message.body, lang: message.language, tag: message.tag }),
    icon: '/icon-192.png',
    data: message?.path,
  });
}

/** An iPad has the user agent of a Mac: the push service is the one reliable sign. */
async function isSafari(scope: PushScope): Promise<boolean> {
  const endpoint = await scope.endpoint().catch(() => null);
  return /^https:\/\/[^/]*\.push\.apple\.com\//.test(endpoint ?? '');
}

/** Opens the path of an alert in an open page, or in a new one. */
export async function openAlert(data: unknown, scope: PushScope): Promise<void> {
  // A path of this site alone: `//host` would be another one, also with a tab between, which browsers remove.
  const path = typeof data === 'string' && /^\/(?![/\\])\P{Cc}*$/u.test(data) ? data : '/home';
  const [page] = await findApplicationPages(scope);
  if (!page) {
    await scope.openPage(path);
    return;
  }
  // A browser that does not bring the page to the front shows the path all the same.
  await page.focus().catch(() => undefined);
  // eslint-disable-next-line unicorn/require-post-message-target-origin -- a client of a worker takes none
  page.postMessage({ type: 'open-path', path });
}
