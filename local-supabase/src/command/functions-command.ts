import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { StartError } from '../platform/start-error.ts';
import { command, type InstanceFile } from './instance-file.ts';

export interface ServeFunctionsOptions {
  readonly envFile: string | undefined;
  readonly importMap: string | undefined;
  readonly verifyJwt: boolean;
}

/** Log lines about functions: their requests and their output. */
const isAboutFunctions = (line: string): boolean => / (?:\[[\w-]+\] |[A-Z]+ \/functions\/v1\/)/.test(line);

/**
 * Makes a running instance serve its functions with these options, and prints their output until Ctrl-C or the
 * instance's end.
 *
 * @throws {StartError} for a missing file.
 */
export async function serveFunctions(
  instance: InstanceFile,
  { envFile, importMap, verifyJwt }: ServeFunctionsOptions,
): Promise<void> {
  const query = new URLSearchParams();
  for (const [name, path] of Object.entries({ envFile, importMap })) {
    if (path === undefined) continue;
    if (!existsSync(path)) throw new StartError(`There is no file ${resolve(path)}`);
    query.set(name, resolve(path));
  }
  if (!verifyJwt) query.set('verifyJwt', 'false');
  const response = await command(instance, 'POST', `/functions?${query.toString()}`);
  console.log(`${await response.text()}\nCtrl-C stops.`);
  const { body } = await command(instance, 'GET', '/logs?follow&new');
  if (!body) return;
  const log = Readable.fromWeb(body as ReadableStream);
  const stop = () => void log.destroy();
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
  for await (const line of createInterface({ input: log.on('error', stop) }))
    if (isAboutFunctions(line)) console.log(line);
  // Restore the project's own functions. Ignore the failure of an instance that has stopped.
  await command(instance, 'POST', '/functions').catch(() => undefined);
}
