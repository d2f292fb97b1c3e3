import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const KILLS = Number(process.env['KILLS'] ?? 100);
const MAX_WRITES = 40;
const writer = fileURLToPath(new URL('./killed-writer.ts', import.meta.url));

interface Round {
  readonly kept: { readonly rows: number; readonly last: number; readonly others: number };
  readonly acknowledged: number;
}

/** Runs a writer until it has acknowledged some rows, and kills it during the next write. */
async function writeUntilKilled(dataDir: string, mode: string, writes: number): Promise<Round> {
  const child = spawn(process.execPath, ['--import', 'tsx', writer, dataDir, mode], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  const lines: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    lines.push(line);
    if (lines.length === writes + 1) child.kill('SIGKILL');
  }
  await ended;
  return {
    kept: JSON.parse(lines[0] ?? 'null') as Round['kept'],
    acknowledged: lines.length > 1 ? Number(lines.at(-1)) : 0,
  };
}

it(`loses no acknowledged write and keeps no partial transaction when the process is killed ${KILLS} times`, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'local-supabase-'));
  let [acknowledged, lost, halves] = [0, 0, 0];
  const check = ({ kept }: Round) => {
    lost += Math.max(0, acknowledged - kept.last) + (kept.last - kept.rows);
    if (kept.rows !== kept.others) halves += 1;
  };
  for (let kill = 0; kill < KILLS; kill += 1) {
    const writes = 1 + Math.floor(Math.random() * MAX_WRITES);
    const round = await writeUntilKilled(folder, kill % 2 === 0 ? 'thread' : 'here', writes);
    check(round);
    acknowledged = round.acknowledged;
  }
  check(await writeUntilKilled(folder, 'here', 1));
  await rm(folder, { recursive: true });
  console.log(`${KILLS} kills, ${acknowledged} writes acknowledged, ${lost} lost, ${halves} halves`);
  expect({ lost, halves }).toEqual({ lost: 0, halves: 0 });
}, 1_800_000);
