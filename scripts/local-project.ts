import { fileURLToPath } from 'node:url';

/** The embedded project that `npm start` runs, and where the other scripts find it. */
export const localProject = {
  apiPort: readPort('SUPABASE_PORT', 54321),
  mailboxPort: readPort('MAILBOX_PORT', 54324),
  appPort: readPort('APP_PORT', 5173),
  dataDir: process.env['DATA_DIR'] ?? fileURLToPath(new URL('../.local-supabase', import.meta.url)),
};

/** The accounts of `supabase/seed.sql`. */
export const accounts = ['ada@example.com', 'grace@example.com'] as const;
export const accountPassword = 'inbox-development';

function readPort(variable: string, byDefault: number): number {
  const text = process.env[variable];
  if (!text) return byDefault;
  const port = Number(text);
  if (Number.isInteger(port) && port > 0 && port < 65_536) return port;
  console.error(`${variable} must be a port number, not "${text}"`);
  process.exit(1);
}
