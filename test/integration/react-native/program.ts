import { createRequire } from 'node:module';
import { JSDOM } from 'jsdom';
import { createAuthClient, createMemoryStore } from '../../../src/auth-client/index.ts';
import { createBrowserPlatform } from '../../../src/platform/index.ts';
import { createRestClient } from '../../../src/rest-client/index.ts';
import { createStorageClient } from '../../../src/storage-client/index.ts';

// The fetch of React Native is the package whatwg-fetch over an XMLHttpRequest.
const { window } = new JSDOM('', { url: 'http://localhost/' });
Object.assign(globalThis, { XMLHttpRequest: window.XMLHttpRequest });
const parts = createRequire(import.meta.url)('whatwg-fetch') as Record<string, unknown>;
const { fetch, Headers, Request, Response } = parts;
Object.assign(globalThis, { fetch, Headers, Request, Response });

const [url = '', apiKey = '', email = '', password = ''] = process.argv.slice(2);
const platform = createBrowserPlatform();
const auth = createAuthClient({ url, apiKey, platform, store: createMemoryStore() });
await auth.signInWithPassword({ email, password });
const connection = { url, apiKey, platform, getAccessToken: auth.getAccessToken };
const rows = await createRestClient(connection).from('notifications').select('id').limit(1).execute();
const changed = await createRestClient(connection)
  .from('notifications')
  .update({ status: 'read' })
  .eq('status', 'unread')
  .select('id')
  .execute();
const buckets = await createStorageClient(connection).listBuckets();
console.log(JSON.stringify({ rows: rows.length, changed: changed.length, buckets: buckets.length }));
process.exit(0);
