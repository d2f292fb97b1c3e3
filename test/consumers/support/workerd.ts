import { type ChildProcess, spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { build } from 'esbuild';
import { workerdProgram } from './runtimes.ts';

export interface Workerd {
  readonly origin: string;
  stop(): void;
}

/** Bundles a worker of this folder's packages, and serves it. */
export async function startWorkerd(
  folder: string,
  worker: string,
  bindings: { readonly url: string; readonly apiKey: string },
): Promise<Workerd> {
  await build({
    stdin: { contents: worker, resolveDir: folder },
    outfile: join(folder, 'worker.js'),
    bundle: true,
    format: 'esm',
    conditions: ['workerd', 'worker'],
  });
  await writeFile(join(folder, 'config.capnp'), configurationOf(bindings));
  // workerd writes its port to this file descriptor.
  const server = spawn(workerdProgram, ['serve', '--control-fd=3', 'config.capnp'], {
    cwd: folder,
    stdio: ['ignore', 'inherit', 'inherit', 'pipe'],
  });
  return { origin: await originOf(server), stop: () => void server.kill() };
}

async function originOf(server: ChildProcess): Promise<string> {
  const control = server.stdio[3];
  if (!control || !('read' in control)) throw new Error('workerd has no control channel');
  for await (const line of createInterface(control)) {
    const reported = JSON.parse(line) as { readonly event: string; readonly port?: number };
    if (reported.event === 'listen') return `http://127.0.0.1:${reported.port}`;
  }
  throw new Error('workerd ended before it listened');
}

const configurationOf = ({ url, apiKey }: { readonly url: string; readonly apiKey: string }) => `
  using Workerd = import "/workerd/workerd.capnp";
  const config :Workerd.Config = (
    services = [
      (name = "main", worker = .app),
      (name = "internet", network = (allow = ["public", "private"]))
    ],
    sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")]
  );
  const app :Workerd.Worker = (
    modules = [(name = "worker", esModule = embed "worker.js")],
    compatibilityDate = "2026-11-01",
    bindings = [(name = "url", text = "${url}"), (name = "apiKey", text = "${apiKey}")]
  );`;
