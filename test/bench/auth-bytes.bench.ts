/** Bytes that a bundle takes, minified and gzipped, compared with the vendor's. Run: `npm run bench auth-bytes` */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { bundledBytes } from './bundle.ts';
import { reportMetric } from './report.ts';

const root = join(import.meta.dirname, '../..');
const source = join(root, 'src/auth-client');
const features = readdirSync(join(source, 'features'));
const firstScreen = `export { createAuthClient, createCookieStore } from '${source}/index.ts';`;
const allAuth = [firstScreen, ...features.map((name) => `export * from '${source}/features/${name}';`)].join(
  '\n',
);
const server = `export * from '${source}/server/server.ts';`;
const authJs = "export { AuthClient } from '@supabase/auth-js';";
const ssr = "export { createBrowserClient, createServerClient } from '@supabase/ssr';";

for (const [name, ours, counts, peer] of [
  ['first screen', firstScreen, 'at once', authJs],
  ['all features', allAuth, 'all', authJs],
  ['all features and server', `${allAuth}\n${server}`, 'all', ssr],
] as const)
  reportMetric({
    name: `auth: bundle of ${name}, gzip (${peer === ssr ? '@supabase/ssr' : 'auth-js'})`,
    ours: await bundledBytes(ours, counts),
    peer: await bundledBytes(peer, 'all'),
    unit: 'bytes',
    goal: null,
  });
