import { spawn } from 'node:child_process';
import type { ProcessRun } from './packed-project.ts';

/** A fenced block of a page. */
export interface PageBlock {
  /** The page, the position among its blocks, and the language: `README.md 2 js`. */
  readonly name: string;
  readonly code: string;
}

export function readBlocks(page: string, text: string): readonly PageBlock[] {
  return [...text.matchAll(/^```(\w*)\n([^]*?)^```$/gm)].map(([, language, code = ''], index) => ({
    name: `${page} ${index + 1} ${language || 'text'}`,
    code,
  }));
}

/** The commands of a block of `sh`: without comments, a continued line as one. */
export function readCommands(code: string): readonly string[] {
  return code
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .map((line) => line.replace(/(^|\s+)# .*$/, '').trim())
    .filter(Boolean);
}

/** Runs each command; one that serves until it is stopped is stopped at the end. @returns what the others printed. */
export async function runCommands(
  commands: readonly string[],
  cwd: string,
  run: ProcessRun,
): Promise<string> {
  const servers: (() => Promise<void>)[] = [];
  let output = '';
  try {
    for (const command of commands)
      if (/local-supabase start\b/.test(command)) servers.push(await serve(command, cwd));
      else output += (await run('sh', ['-c', command], cwd)).stdout;
  } finally {
    await Promise.all(servers.map((stop) => stop()));
  }
  return output;
}

/** Starts a command and waits for the line that says how to stop it. */
async function serve(command: string, cwd: string): Promise<() => Promise<void>> {
  const child = spawn('sh', ['-c', `exec ${command} --port 0 --database-port 0 --mailbox-port 0`], {
    cwd,
    detached: true,
    env: { ...process.env, NODE_ENV: undefined, VITEST: undefined },
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  let output = '';
  await new Promise<void>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => {
        output += chunk.toString();
        if (output.includes('Ctrl-C stops')) resolve();
      });
    child.once('exit', () => reject(new Error(`${command} ended: ${output}`)));
  });
  return async () => {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGTERM');
    await ended;
  };
}
