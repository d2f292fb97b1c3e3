/**
 * Runs the examples of docs/clients, one after the other, in a process with a page (jsdom). A child of
 * library-page.nightly.test.ts, which copies it to the examples; it writes one line of JSON for each.
 */
import { JSDOM } from 'jsdom';
import type { FunctionComponent } from 'react';
import { createSupabaseClients } from 'supabase-protocol-clients';
import { createMemoryStore } from 'supabase-protocol-clients/auth-client';
import { createFunctionsClient } from 'supabase-protocol-clients/functions-client';
import { SupabaseProvider } from 'supabase-protocol-clients/react';
import { createStorageClient } from 'supabase-protocol-clients/storage-client';
import { WebSocket } from 'ws';

export interface ExampleRun {
  readonly page: string;
  readonly printed: readonly string[];
  readonly failure: string | null;
}
interface Instructions {
  readonly url: string;
  readonly apiKey: string;
  readonly userId: string;
  readonly email: string;
  readonly password: string;
  readonly examples: readonly { readonly file: string; readonly page: string }[];
}
type Module = Readonly<Record<string, unknown>>;

const instructions = JSON.parse(process.env['INSTRUCTIONS'] ?? '') as Instructions;
const { url, apiKey, userId, email, password } = instructions;

const dom = new JSDOM('<body></body>', { url: 'http://localhost:3000/', pretendToBeVisual: true });
const { document, location, history, navigator } = dom.window;
const clients = createSupabaseClients({ url, apiKey, store: createMemoryStore() });
const { auth, rest, realtime, platform, connection } = clients;
define({
  url,
  apiKey,
  auth,
  rest,
  realtime,
  platform,
  connection,
  storage: createStorageClient(connection),
  functions: createFunctionsClient(connection),
  window: dom.window,
  document,
  location,
  history,
  navigator,
  // Node 20 has no WebSocket.
  WebSocket,
  // The globals of React Native and its storage package.
  AsyncStorage: createAsyncStorage(),
  AppState: { currentState: 'active', addEventListener: () => ({ remove: () => undefined }) },
  Linking: { addEventListener: () => ({ remove: () => undefined }) },
});
await auth.signInWithPassword({ email, password });

const nodeFormData = FormData;
/** The output of the current example. */
let printed: string[] = [];

/** Sets up what an example of the page requires. */
const before: Readonly<Record<string, () => void>> = {
  react: () => {
    // A form of the page is read by jsdom's FormData; requests take only Node's.
    define({ FormData: dom.window.FormData });
    for (const cookie of document.cookie.split('; '))
      document.cookie = `${cookie.split('=')[0] ?? ''}=; max-age=0; path=/`;
  },
  // A server has no page.
  admin: () => define({ document: undefined }),
};

/** Uses what an example of the page shows or exports. */
const after: Readonly<Record<string, (module: Module) => Promise<unknown>>> = {
  async react(module) {
    if (Object.keys(module).length > 0) return; // Components that the page's first example could render.
    const find = (text: string) =>
      [...document.querySelectorAll('button')].find((button) => button.textContent.includes(text));
    const signIn = await waitFor(() => find('Sign in'));
    for (const [name, value] of Object.entries({ email, password })) {
      const field = document.querySelector<HTMLInputElement>(`[name=${name}]`);
      if (field) field.value = value;
    }
    signIn.click();
    console.log((await waitFor(() => find('Sign out'))).textContent);
    define({ FormData: nodeFormData });
  },
  async servers({ renderInbox, app, listOrders, hasSession }) {
    if (app) {
      const { request } = app as { request(path: string, init?: RequestInit): Promise<Response> };
      console.log((await request('/inbox')).status);
      const { value: cookie } = await signInByCookies();
      console.log(await (await request('/inbox', { headers: { cookie } })).json());
      return;
    }
    if (listOrders) {
      const handle = listOrders as (request: Request) => Promise<Response>;
      const authorization = `Bearer ${String(await auth.getAccessToken())}`;
      console.log(
        await (await handle(new Request('http://localhost:3000/', { headers: { authorization } }))).json(),
      );
      return;
    }
    if (hasSession) {
      const { value: cookie } = await signInByCookies();
      const isThere = hasSession as (request: Request, storageKey: string) => boolean;
      const request = new Request('http://localhost:3000/', { headers: { cookie } });
      console.log(isThere(request, 'sb-127-auth-token'));
      return;
    }
    const render = renderInbox as (request: Request) => Promise<Response>;
    console.log((await render(new Request('http://localhost:3000/'))).status);
    const { value } = await signInByCookies();
    const response = await render(new Request('http://localhost:3000/', { headers: { cookie: value } }));
    console.log(await response.text());
  },
  async admin() {
    define({ document });
  },
  async 'sign-in-methods'(module) {
    const { signInByCompany, signInByGoogle, signInByWallet } = module as Readonly<
      Record<string, (value: unknown) => Promise<unknown>>
    >;
    console.log(await signInByCompany?.('sso.example.com'));
    // Without a provider and a wallet, the service refuses the placeholder token and signature.
    const print = (problem: unknown) => console.log((problem as { readonly code: string }).code);
    await signInByGoogle?.('not.a.token').catch(print);
    await signInByWallet?.({ chain: 'ethereum', message: 'Hello', signature: '0x00' }).catch(print);
  },
  async 'live-lists'({ Inbox, Filtered }) {
    const component = Inbox ?? Filtered;
    if (component) {
      console.log(await renderRows(component as FunctionComponent<{ readonly userId: string }>));
      return;
    }
    // An example without expected output only has to run.
    await waitFor(() => printed.find((line) => /\d/.test(line)), 2_000).catch(() => undefined);
    for (const name of ['pagehide', 'pageshow']) dom.window.dispatchEvent(new dom.window.Event(name));
  },
  async 'links-and-providers'({ setPassword }) {
    // The next example opens a mailed link; earlier examples have requested others, which replace earlier ones.
    if (setPassword)
      dom.reconfigure({ url: `http://localhost:3000/confirm?token_hash=${await createLink()}` });
  },
  async 'react-native'({ clients: mobile }) {
    if (!mobile) return;
    const made = mobile as typeof clients;
    await made.auth.signInWithPassword({ email, password });
    console.log(made.auth.getSnapshot().status);
    made.close();
  },
};

for (const { file, page } of instructions.examples) {
  printed = [];
  const { log } = console;
  console.log = (...values: readonly unknown[]) =>
    printed.push(
      values.map((value) => (typeof value === 'string' ? value : JSON.stringify(value))).join(' '),
    );
  let failure: string | null = null;
  const fail = (problem: unknown) => {
    failure ??= problem instanceof Error ? (problem.stack ?? problem.message) : String(problem);
  };
  process.on('unhandledRejection', fail);
  try {
    before[page]?.();
    const module = (await within(10_000, import(file))) as Module;
    await after[page]?.(module);
    // Wait for what an example prints after its last line.
    await new Promise((resolve) => setTimeout(resolve, 100));
  } catch (problem) {
    fail(problem);
  }
  process.off('unhandledRejection', fail);
  console.log = log;
  const run: ExampleRun = { page, printed, failure };
  process.stdout.write(`${JSON.stringify(run)}\n`);
}
process.exit(0);

function define(values: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(values))
    Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
}

function createAsyncStorage() {
  const values = new Map<string, string>();
  return {
    getItem: async (key: string) => values.get(key) ?? null,
    setItem: async (key: string, value: string) => void values.set(key, value),
    removeItem: async (key: string) => void values.delete(key),
  };
}

/** The token hash of a mail link that has not been used. */
async function createLink(): Promise<string> {
  const secretKey = process.env['SUPABASE_SECRET_KEY'] ?? '';
  const response = await fetch(`${url}/auth/v1/admin/generate_link`, {
    method: 'POST',
    headers: { apikey: secretKey, authorization: `Bearer ${secretKey}` },
    body: JSON.stringify({ type: 'magiclink', email }),
  });
  return ((await response.json()) as { readonly hashed_token: string }).hashed_token;
}

/** The Cookie header of a browser that is signed in. */
async function signInByCookies(): Promise<{ readonly value: string }> {
  const { createServerClients } = await import('supabase-protocol-clients/server');
  const jar = new Map<string, string>();
  const server = createServerClients({
    url,
    apiKey,
    cookies: {
      getAll: () => [],
      setAll: (cookies) => cookies.forEach((cookie) => jar.set(cookie.name, cookie.value)),
    },
  });
  await server.auth.signInWithPassword({ email, password });
  return { value: Array.from(jar, ([name, value]) => `${name}=${value}`).join('; ') };
}

/** The component's rows, once they are there, with the state that the list reports. */
async function renderRows(
  Component: FunctionComponent<{ readonly userId: string }>,
): Promise<readonly [rows: number, isBusy: string | null]> {
  const { createRoot } = await import('react-dom/client');
  const container = document.body.appendChild(document.createElement('div'));
  const root = createRoot(container);
  root.render(
    <SupabaseProvider clients={clients}>
      <Component userId={userId} />
    </SupabaseProvider>,
  );
  const list = await waitFor(() => container.querySelector('ul[aria-busy=false]') ?? undefined);
  const found = [list.children.length, list.getAttribute('aria-description')] as const;
  root.unmount();
  container.remove();
  return found;
}

async function waitFor<T>(find: () => T | undefined, limitMs = 10_000): Promise<T> {
  for (let attempt = 0; attempt < limitMs / 25; attempt += 1) {
    const found = find();
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error(`Not found on the page: ${document.body.innerHTML}`);
}

async function within<T>(limitMs: number, promise: Promise<T>): Promise<T> {
  const late = new Promise<never>((_resolve, reject) => {
    setTimeout(() => reject(new Error(`The example did not end within ${limitMs} ms`)), limitMs);
  });
  return Promise.race([promise, late]);
}
