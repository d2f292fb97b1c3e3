// A program for Node, Bun and Deno. Prints one line of JSON per step.
import { adaptWebSocket, createPlatform } from 'supabase-protocol-clients/platform';
import { runJourney } from './journey.js';

const [url = '', apiKey = '', email = '', password = ''] = process.argv.slice(2);

/** Node 20 has no WebSocket. */
async function openPlatform() {
  if (typeof WebSocket !== 'undefined') return createPlatform();
  const { WebSocket: NodeWebSocket } = await import('ws');
  return createPlatform({ openSocket: (address) => adaptWebSocket(new NodeWebSocket(address)) });
}

await runJourney({
  url,
  apiKey,
  email,
  password,
  platform: await openPlatform(),
  report: (step) => console.log(JSON.stringify(step)),
});
