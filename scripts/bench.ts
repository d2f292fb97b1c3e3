/**
 * `npm run bench`: runs every `test/bench/*.bench.ts` and prints one table of our figures beside the vendor's. Arguments
 * choose files by a part of their names. Exits non-zero only if a file crashes.
 */
import { spawn } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { loadavg } from 'node:os';
import { createInterface } from 'node:readline';
import { type Metric, metricPrefix } from '../test/bench/report.ts';

const chosen = process.argv.slice(2);
const files = (await readdir('test/bench')).filter(
  (name) => name.endsWith('.bench.ts') && (chosen.length === 0 || chosen.some((part) => name.includes(part))),
);
const metrics: Metric[] = [];
const crashed: string[] = [];
for (const file of files.sort()) {
  console.error(`${file} …`);
  const flags = ['--expose-gc', '--import', 'tsx', `test/bench/${file}`];
  // One process per file: what one leaves in the heap does not slow the next.
  const child = spawn(process.execPath, flags, { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  for await (const line of createInterface(child.stdout)) {
    if (line.startsWith(metricPrefix)) metrics.push(JSON.parse(line.slice(metricPrefix.length)) as Metric);
    else console.error(line);
  }
  if ((await ended) !== 0) crashed.push(file);
}

const figure = (value: number) => (value >= 100 ? value.toFixed(0) : value.toPrecision(3));
const rows = metrics.map(({ name, ours, peer, unit, goal }) => {
  const ratio = peer === null ? null : ours / peer;
  const isMet = goal === null || ratio === null || ratio <= goal;
  return [
    name,
    `${figure(ours)} ${unit}`,
    peer === null ? '–' : `${figure(peer)} ${unit}`,
    ratio === null ? '–' : ratio.toFixed(2),
    goal === null ? '–' : `≤ ${goal.toFixed(2)}${isMet ? '' : ' missed'}`,
  ];
});
const table = [['Metric', 'Ours', 'Peer', 'Ratio', 'Goal'], ['---', '---', '---', '---', '---'], ...rows];
for (const cells of table) console.log(`| ${cells.join(' | ')} |`);
console.log(
  `\nNode ${process.version}, load ${loadavg()
    .map((load) => load.toFixed(1))
    .join(' ')}`,
);
for (const file of crashed) console.error(`✗ ${file} crashed`);
process.exitCode = crashed.length === 0 ? 0 : 1;
