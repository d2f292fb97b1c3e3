import {
  type AuthClient,
  type AuthClientOptions,
  type AuthStore,
  createAuthClient,
  createMemoryStore,
} from '../../../src/auth-client/index.ts';
import { type FakeTab, type FakeWorld, createFakeWorld } from '../../support/fake-platform.ts';
import { sessionReply } from '../../support/wire/replies.ts';
import { type ScriptedWire, createScriptedWire } from '../../support/wire/scripted-wire.ts';

export const STORAGE_KEY = 'sb-project-auth-token';

export interface Opened {
  readonly client: AuthClient;
  readonly tab: FakeTab;
  /** `NAME` of each event, in order. */
  readonly events: string[];
  /** `NAME/reason`. */
  readonly reasons: string[];
  readonly href: () => string;
}

export interface Harness {
  readonly world: FakeWorld;
  readonly server: ScriptedWire;
  readonly store: AuthStore;
  /** Opens a tab on the shared storage; it is not started. */
  open(options?: Partial<AuthClientOptions> & { readonly href?: string }): Opened;
  /** Opens, starts and signs in user `ada`. */
  signedIn(options?: Partial<AuthClientOptions>): Promise<Opened>;
  stored(): Promise<Record<string, unknown> | null>;
}

/** Tabs of one browser with one scripted server, on a fake clock. */
export function createHarness(store: AuthStore = createMemoryStore()): Harness {
  const world = createFakeWorld();
  const server = createScriptedWire('/auth/v1');
  const open: Harness['open'] = ({ href: first = 'http://app.test/home', ...options } = {}) => {
    const tab = world.openTab({ fetch: server.fetch });
    let href = first;
    const client = createAuthClient({
      url: 'http://project.test',
      apiKey: 'publishable',
      platform: tab,
      store,
      address: { href: () => href, replace: (url) => void (href = url) },
      ...options,
    });
    const events: string[] = [];
    const reasons: string[] = [];
    client.onEvent(({ name, reason }) => {
      events.push(name);
      reasons.push(`${name}/${reason}`);
    });
    return { client, tab, events, reasons, href: () => href };
  };
  return {
    world,
    server,
    store,
    open,
    async signedIn(options) {
      const opened = open(options);
      await opened.client.start();
      server.next(Response.json(sessionReply('ada', 1)));
      await opened.client.signInWithPassword({ email: 'ada@example.com', password: 'correct horse' });
      await world.settle();
      opened.events.length = 0;
      opened.reasons.length = 0;
      return opened;
    },
    async stored() {
      const text = await store.get(STORAGE_KEY);
      return text ? (JSON.parse(text) as Record<string, unknown>) : null;
    },
  };
}
