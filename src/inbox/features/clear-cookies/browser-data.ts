/** The stores of the browser that this page clears; a parameter, so that tests can pass others. */
export interface BrowserData {
  readonly document: Pick<Document, 'cookie'>;
  readonly hostname: string;
  readonly path: string;
  readonly localStorage: () => Storage;
  readonly sessionStorage: () => Storage;
  readonly indexedDB: IDBFactory | undefined;
  readonly caches: CacheStorage | undefined;
  readonly serviceWorkers: ServiceWorkerContainer | undefined;
}

/**
 * Removes everything that the application may have left in this browser. A failing step does not stop the others.
 *
 * @returns the names of what could not be removed.
 */
export async function clearBrowserData(data: BrowserData): Promise<readonly string[]> {
  const steps: readonly (readonly [string, () => unknown])[] = [
    ['cookies', () => clearCookies(data)],
    ['local storage', () => data.localStorage().clear()],
    ['session storage', () => data.sessionStorage().clear()],
    ['databases', () => clearDatabases(data.indexedDB)],
    ['caches', () => clearCaches(data.caches)],
    ['service workers', () => removeServiceWorkers(data.serviceWorkers)],
  ];
  const failed = await Promise.all(
    steps.map(async ([name, step]) => {
      try {
        await step();
        return null;
      } catch {
        return name;
      }
    }),
  );
  return failed.filter((name) => name !== null);
}

/** Cookies of Supabase's clients, in any number of chunks, whole or corrupt. */
export function isOwnCookie(name: string): boolean {
  return /^(__(Host|Secure)-)?(sb-|supabase[.-])/.test(name);
}

function clearCookies({ document, hostname, path }: BrowserData): void {
  const names = document.cookie.split(';').map((pair) => pair.split('=', 1)[0]?.trim() ?? '');
  for (const name of names.filter(isOwnCookie)) {
    for (const domain of ['', ...parentDomains(hostname)]) {
      for (const ownPath of parentPaths(path)) {
        for (const secure of ['', '; Secure']) {
          const scope = domain === '' ? '' : `; Domain=${domain}`;
          document.cookie = `${name}=; Max-Age=0; Path=${ownPath}; SameSite=Lax${scope}${secure}`;
        }
      }
    }
  }
  const left = document.cookie.split(';').map((pair) => pair.split('=', 1)[0]?.trim() ?? '');
  if (left.some(isOwnCookie)) throw new Error('A cookie stayed');
}

/** `app.example.org` → `app.example.org`, `example.org`: every domain for which this page may set a cookie. */
export function parentDomains(hostname: string): readonly string[] {
  const labels = hostname.split('.');
  return labels.slice(0, -1).map((_label, index) => labels.slice(index).join('.'));
}

/** `/a/b` → `/`, `/a`, `/a/b`. */
export function parentPaths(path: string): readonly string[] {
  const parts = path.split('/').filter(Boolean);
  return ['/', ...parts.map((_part, index) => `/${parts.slice(0, index + 1).join('/')}`)];
}

async function clearDatabases(factory: IDBFactory | undefined): Promise<void> {
  const databases = (await factory?.databases?.()) ?? [];
  for (const { name } of databases) if (factory && name) await deleteDatabase(factory, name);
}

function deleteDatabase(factory: IDBFactory, name: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = factory.deleteDatabase(name);
    request.onsuccess = () => resolve();
    request.onerror = () => reject(request.error ?? new Error(`${name} stayed`));
    // Another tab holds the database open; the browser deletes it once that tab is gone.
    request.onblocked = () => resolve();
  });
}

async function clearCaches(caches: CacheStorage | undefined): Promise<void> {
  for (const key of (await caches?.keys()) ?? []) await caches?.delete(key);
}

async function removeServiceWorkers(container: ServiceWorkerContainer | undefined): Promise<void> {
  const registrations = (await container?.getRegistrations()) ?? [];
  await Promise.all(registrations.map((registration) => registration.unregister()));
}
