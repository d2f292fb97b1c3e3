import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ClientAdapter } from '../src/target/client-adapter.ts';
import { createProcessAdapter } from '../src/clients/process-adapter.ts';
import { hasClientAudits } from '../src/audits/audits.ts';
import { ownClient } from './local-target.ts';
import type { CommandOptions } from './options.ts';

/**
 * Returns the client of the options; without them our own, if it is installed.
 *
 * @throws {Error} for a module without `createClientAdapter`.
 */
export async function loadChosenClient(options: CommandOptions): Promise<ClientAdapter | undefined> {
  const { client, 'client-command': command } = options;
  if (command !== undefined) return createProcessAdapter(command);
  if (client === undefined) return hasClientAudits ? ownClient : undefined;
  const specifier = /^[./]|\.[cm]?[jt]s$/.test(client) ? pathToFileURL(resolve(client)).href : client;
  const { createClientAdapter } = (await import(specifier)) as {
    readonly createClientAdapter?: () => ClientAdapter;
  };
  if (!createClientAdapter) throw new Error(`${client} exports no createClientAdapter()`);
  return createClientAdapter();
}
