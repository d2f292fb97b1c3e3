// A program for Node, Bun and Deno. Prints one line of JSON per step.
import { adaptWebSocket, createBrowserPlatform } from 'supabase-protocol-clients/platform';
import { runJourney } from './journey.js';

const [url = '', apiKey = '', email = '', password = ''] = process.argv.slice(2);

/** Node 20 has no WebSocket. */
async function createPlatform() {
  if (typeof WebSocket !== 'undefined') return createBrowserPlatform();
  const { WebSocket: NodeWebSocket } = await import('ws');
  return createBrowserPlatform({ openSocket: (address) => adaptWebSocket(new NodeWebSocket(address)) });
}

await runJourney({
  url,
  apiKey,
  email,
  password,
  platform: await createPlatform(),
  tell: (step) => console.log(JSON.stringify(step)),
});
