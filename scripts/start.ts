/**
 * `npm start`: the embedded Supabase, its mailbox and the application, until Ctrl-C.
 *
 * Environment: SUPABASE_PORT (54321), MAILBOX_PORT (54324), APP_PORT (5173), DATA_DIR (.local-supabase).
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { styleText } from 'node:util';
import type * as Vite from 'vite';
import { createLocalSupabase } from 'local-supabase';
import type { LocalSupabase } from 'local-supabase';
import type { VapidKeys } from 'local-supabase';
import { StartError } from 'local-supabase';
import { accountPassword, accounts, localProject } from './local-project.ts';
import { projectFunctions } from './project-functions.ts';
import { samplePath, sampleSender } from './notify/sample-sender.ts';
import { moveToLocalPort } from 'local-supabase';
import { readProjectConfig } from 'local-supabase';
import { loadVapidKeys } from './vapid-keys.ts';

interface Application {
  readonly url: string;
  close(): Promise<void>;
}

const elsewhere =
  'To run elsewhere: SUPABASE_PORT=64321 MAILBOX_PORT=64324 APP_PORT=6173 DATA_DIR=.local-supabase-2 npm start';

const startedAtMs = performance.now();
const running: { close(): Promise<void> }[] = [];
stopOnSignals();

try {
  await prepareNewData();
  const vite = import('vite');
  const vapidKeys = loadVapidKeys(localProject.dataDir);
  const supabase = await startSupabase(vapidKeys);
  running.push(supabase);
  const application = await startApplication(await vite, supabase, vapidKeys);
  running.push(application);
  print(supabase, application);
} catch (problem) {
  console.error(problem instanceof StartError ? `${problem.message}\n${elsewhere}` : problem);
  await stop(1);
}

/** Creates a new data folder in a separate process, because its memory is never released. */
async function prepareNewData(): Promise<void> {
  if (existsSync(localProject.dataDir)) return;
  const script = fileURLToPath(new URL('prepare-data.ts', import.meta.url));
  const child = spawn(process.execPath, [...process.execArgv, script], { stdio: 'inherit' });
  await once(child, 'exit');
}

function startSupabase({ publicKey, privateKey }: VapidKeys): Promise<LocalSupabase> {
  const { apiPort, mailboxPort, appPort, dataDir } = localProject;
  const { options, withoutEffect } = readConfig();
  if (withoutEffect.length > 0)
    console.warn(`supabase/config.toml: the embedded Supabase ignores ${withoutEffect.join(', ')}`);
  if (options.smtp) console.warn(`Emails are sent by ${options.smtp.host}, not kept in the mailbox`);
  return createLocalSupabase({
    config: false,
    ...moveToLocalPort(options, appPort),
    port: apiPort,
    mailboxPort,
    dataDir,
    realisticTiming: true,
    functions: projectFunctions,
    functionEnv: {
      ...options.functionEnv,
      VAPID_SUBJECT: 'mailto:operator@example.com',
      VAPID_PUBLIC_KEY: publicKey,
      VAPID_PRIVATE_KEY: privateKey,
    },
  });
}

function readConfig(): ReturnType<typeof readProjectConfig> {
  try {
    return readProjectConfig();
  } catch (problem) {
    throw new StartError(problem instanceof Error ? problem.message : String(problem), problem);
  }
}

async function startApplication(
  { createServer }: typeof Vite,
  { url, anonKey, serviceRoleKey }: LocalSupabase,
  vapidKeys: VapidKeys,
): Promise<Application> {
  const port = localProject.appPort;
  process.env['VITE_SUPABASE_URL'] = url;
  process.env['VITE_SUPABASE_ANON_KEY'] = anonKey;
  process.env['VITE_PUSH_PUBLIC_KEY'] = vapidKeys.publicKey;
  process.env['VITE_SAMPLE_SENDER'] = samplePath;
  const server = await createServer({
    plugins: [sampleSender({ apiUrl: url, serviceRoleKey })],
    server: {
      port,
      strictPort: true,
      host: 'localhost',
      // Vite's own list, and the data folder: keys, mails, password hashes.
      fs: { deny: ['.env', '.env.*', '*.{crt,pem,key}', '**/.git/**', `${localProject.dataDir}/**`] },
    },
    logLevel: 'warn',
  });
  try {
    await server.listen();
  } catch (problem) {
    await server.close();
    throw new StartError(`Port ${port}, for the application, is in use by another program`, problem);
  }
  return { url: `http://localhost:${port}`, close: () => server.close() };
}

function print({ url, mailboxUrl, anonKey, secretKey }: LocalSupabase, application: Application): void {
  const seconds = ((performance.now() - startedAtMs) / 1000).toFixed(1);
  const lines = [
    ['Application', application.url],
    ['Mailbox', mailboxUrl ?? ''],
    ['Supabase', url],
    ['Public key', anonKey],
    ['Secret key', secretKey],
    ['Accounts', accounts.join(', ')],
    ['Password', accountPassword],
  ];
  const table = lines.map(([name = '', value = '']) => `  ${styleText('dim', name.padEnd(12))} ${value}`);
  const port = process.env['SUPABASE_PORT'];
  const notify = `${port ? `SUPABASE_PORT=${port} ` : ''}npm run notify -- --to ${accounts[0]} --kind mention`;
  console.log(
    [
      '',
      `  Ready in ${seconds} s`,
      '',
      ...table,
      '',
      `  Send a notification: ${notify}`,
      '  Ctrl-C stops.',
      '',
    ].join('\n'),
  );
}

function stopOnSignals(): void {
  let isStopping = false;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (isStopping) process.exit(130);
      isStopping = true;
      void stop(0);
    });
  }
}

async function stop(code: number): Promise<never> {
  for (const part of running.splice(0).toReversed()) await part.close().catch(console.error);
  process.exit(code);
}
