// CommonJS: `require` of the package, with types.
import { createSupabaseClients } from 'supabase-protocol-clients';
import platformEntry = require('supabase-protocol-clients/platform');
import authEntry = require('supabase-protocol-clients/auth-client');

const { adaptWebSocket, createPlatform } = platformEntry;
const [url = '', apiKey = '', email = '', password = ''] = process.argv.slice(2);

async function main(): Promise<void> {
  const platform = createPlatform({
    openSocket: (address) => adaptWebSocket(new WebSocket(address)),
  });
  const { auth, close } = createSupabaseClients({ url, apiKey, platform });
  try {
    await auth.signInWithPassword({ email, password: `${password}?` });
  } catch (problem) {
    if (!(problem instanceof authEntry.AuthError)) throw problem;
    console.log(JSON.stringify({ code: problem.code }));
  }
  const { user } = await auth.signInWithPassword({ email, password });
  console.log(JSON.stringify({ signedIn: user.email }));
  close();
}
void main();
