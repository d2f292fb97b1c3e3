import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { Client } from 'pg';
import { createTokenKeys } from '../src/keys/keys.ts';
import { readSequences } from '../test/storage/recorded-request.ts';
import type { RecordedSequence, RecordedStep } from '../test/storage/recorded-request.ts';
import { STORAGE_EXCEPTIONS } from '../test/storage/storage-exceptions.ts';
import { createStorageReplay, EMPTY_STORAGE } from '../test/storage/storage-replay.ts';
import type { ReplayTarget } from '../test/storage/storage-replay.ts';

/**
 * `npm run replay:storage -- [part of name:id] [folder]`: sends recorded requests to the embedded storage service and
 * prints where the responses differ from those of the real one. `--url` and `--database-url` select another service;
 * `--record` then writes its responses into the recordings.
 */
const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    url: { type: 'string' },
    'database-url': { type: 'string' },
    record: { type: 'boolean', default: false },
  },
});
const [wanted = '', folder] = positionals;

async function openTarget(): Promise<ReplayTarget & { close(): Promise<void> }> {
  const { url, 'database-url': connectionString } = values;
  if (url === undefined) return (await import('../test/storage/storage-world.ts')).createStorageWorld();
  const client = new Client({ connectionString });
  await client.connect();
  const { serviceRoleKey, anonKey, jwtSecret } = await createTokenKeys();
  return {
    url,
    serviceKey: serviceRoleKey,
    anonKey,
    jwtSecret,
    runSql: async (sql) => void (await client.query(sql)),
    close: () => client.end(),
  };
}

async function replaySequence(target: ReplayTarget, { name, steps }: RecordedSequence) {
  await target.runSql(EMPTY_STORAGE);
  const replay = createStorageReplay(target);
  let [same, total, unexpected] = [0, 0, 0];
  for (const step of steps) {
    const differences = await replay.run(step);
    if ('sql' in step || !`${name}:${step.id}`.includes(wanted)) continue;
    total += 1;
    if (differences.length === 0) {
      same += 1;
      continue;
    }
    const reason = STORAGE_EXCEPTIONS.get(step.id);
    if (reason === undefined) unexpected += 1;
    console.log(
      [`${step.id} ${step.as} ${step.method} ${step.path.slice(0, 160)}`, reason ?? '', ...differences].join(
        '\n  ',
      ),
    );
  }
  replay.close();
  console.log(`${name}: ${same} of ${total}`);
  return { total, unexpected };
}

async function recordSequence(target: ReplayTarget, { name, file, steps }: RecordedSequence): Promise<void> {
  await target.runSql(EMPTY_STORAGE);
  const replay = createStorageReplay(target);
  const recorded: RecordedStep[] = [];
  for (const step of steps) {
    const response = await replay.send(step);
    recorded.push('sql' in step || response === undefined ? step : { ...step, response });
  }
  replay.close();
  await writeFile(file, recorded.map((step) => `${JSON.stringify(step)}\n`).join(''));
  console.log(`${name}: ${recorded.length} steps recorded`);
}

const target = await openTarget();
const sequences = await readSequences(
  folder === undefined ? undefined : pathToFileURL(`${resolve(folder)}/`),
);
let total = 0;
let unexpected = 0;
for (const sequence of sequences) {
  if (values.record) {
    if (sequence.name.includes(wanted)) await recordSequence(target, sequence);
    continue;
  }
  const result = await replaySequence(target, sequence);
  total += result.total;
  unexpected += result.unexpected;
}
if (!values.record) console.log(`${total} requests, ${unexpected} unexpected differences`);
await target.close();
process.exitCode = unexpected > 0 ? 1 : 0;
