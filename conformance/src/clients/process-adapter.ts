import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { CallOutcome, ClientAdapter, Json } from '../target/client-adapter.ts';
import { at, parseJson } from '../target/wire.ts';

/**
 * A client in another process, which reads one request per line, `{"id": 1, "command": "signIn", "args": {…}}`, and
 * responds to each with a line: `{"id": 1, "ok": …}`, `{"id": 1, "error": {"code": …, "message": …}}` or `{"id": 1,
 * "unsupported": true}`. The first command is `open` with `{url, anonKey}`; a process is one client, and ends with its
 * standard input.
 *
 * @param command the program with its arguments, separated by spaces.
 */
export function createProcessAdapter(command: string): ClientAdapter {
  const [program = '', ...args] = command.split(' ');
  return {
    name: command,
    async open(project) {
      const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] });
      const client = exchangeLines(child);
      const opened = await client.call('open', project);
      if (opened.type !== 'ok') throw new Error(`${command} did not open: ${JSON.stringify(opened)}`);
      return client;
    },
  };
}

interface LineClient {
  call(command: string, args: object): Promise<CallOutcome>;
  close(): Promise<void>;
}

function exchangeLines(child: ChildProcess): LineClient {
  const waiting = new Map<number, (outcome: CallOutcome) => void>();
  let lastId = 0;
  let ended: CallOutcome | undefined;
  const end = (message: string) => {
    ended = { type: 'refused', code: null, message };
    for (const settle of waiting.values()) settle(ended);
    waiting.clear();
  };
  child.on('error', (problem) => end(`the process failed: ${problem.message}`));
  child.on('exit', (code) => end(`the process ended with ${code}`));
  if (child.stdout)
    createInterface({ input: child.stdout }).on('line', (line) => {
      const message = parseJson(line);
      const settle = waiting.get(Number(at(message, 'id')));
      waiting.delete(Number(at(message, 'id')));
      settle?.(toCallOutcome(message));
    });
  return {
    call: (command, args) =>
      new Promise((resolve) => {
        if (ended) return resolve(ended);
        lastId += 1;
        waiting.set(lastId, resolve);
        child.stdin?.write(`${JSON.stringify({ id: lastId, command, args })}\n`);
        return undefined;
      }),
    close: () =>
      new Promise((resolve) => {
        if (ended) return resolve();
        child.once('exit', () => resolve());
        child.stdin?.end();
        setTimeout(() => child.kill(), 2_000).unref();
        return undefined;
      }),
  };
}

function toCallOutcome(message: unknown): CallOutcome {
  if (at(message, 'unsupported') === true) return { type: 'unsupported' };
  const error = at(message, 'error');
  if (error === undefined) return { type: 'ok', value: (at(message, 'ok') ?? null) as Json };
  const code = at(error, 'code');
  return {
    type: 'refused',
    code: typeof code === 'string' ? code : null,
    message: String(at(error, 'message')),
  };
}
