/**
 * `npm run examples`: an embedded Supabase in memory and the examples of `examples/`, until Ctrl-C.
 *
 * Environment: EXAMPLES_PORT (5180), SUPABASE_PORT (54331).
 */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { createServer } from 'vite';
import { StartError } from 'local-supabase';
import { createLocalSupabase } from 'local-supabase';

const portOf = (variable: string, byDefault: number) => Number(process.env[variable] ?? byDefault);
const root = fileURLToPath(new URL('../examples', import.meta.url));

const supabase = await createLocalSupabase({
  config: false,
  port: portOf('SUPABASE_PORT', 54_331),
  realisticTiming: true,
}).catch((problem: unknown) => {
  if (!(problem instanceof StartError)) throw problem;
  console.error(`${problem.message}. Choose another one with SUPABASE_PORT.`);
  process.exit(1);
});
await supabase.database.exec(await readFile(`${root}/schema.sql`, 'utf8'));
process.env['VITE_SUPABASE_URL'] = supabase.url;
process.env['VITE_SUPABASE_ANON_KEY'] = supabase.anonKey;
const port = portOf('EXAMPLES_PORT', 5_180);
const server = await createServer({
  root,
  configFile: false,
  plugins: [react()],
  logLevel: 'warn',
  server: { port, strictPort: true, host: 'localhost' },
});
await server.listen();
console.log(`\n  Examples   http://localhost:${port}/?as=ada and http://localhost:${port}/?as=grace\n`);

for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => {
    void Promise.all([server.close(), supabase.close()]).then(() => process.exit(0));
  });
