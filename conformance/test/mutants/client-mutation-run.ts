import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import type { Audit } from '../../src/audit/audit.ts';
import type { ConformanceTarget } from '../../src/target/target.ts';
import * as soundEntry from './client-entry.ts';
import type { ClientMutant } from './client-mutant.ts';

type Entry = typeof soundEntry;

/** The audits that fail with the fault, pass without it, and fail with it again. */
export interface ClientMutantResult {
  readonly mutant: ClientMutant;
  readonly noticedBy: readonly { readonly id: string; readonly expectation: string; readonly came: string }[];
}

const sources = fileURLToPath(new URL('../../../src/', import.meta.url));
const folder = fileURLToPath(new URL('../../../node_modules/.cache/conformance-mutants/', import.meta.url));

/** Bundles the audits of a client with the faulty client. @throws {Error} unless the text occurs once. */
async function bundleMutant({ name, file, find, replace }: ClientMutant, outfile: string): Promise<void> {
  const path = join(sources, file);
  const text = await readFile(path, 'utf8');
  if (text.split(find).length !== 2) throw new Error(`${name}: the text is not found once in ${file}`);
  await build({
    entryPoints: [fileURLToPath(new URL('client-entry.ts', import.meta.url))],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'silent',
    external: ['pg', 'ws', 'otpauth', '@noble/*'],
    plugins: [
      {
        name: 'fault',
        setup(bundler) {
          bundler.onLoad({ filter: /\.ts$/ }, ({ path: loaded }) =>
            loaded === path ? { contents: text.replace(find, () => replace), loader: 'ts' } : undefined,
          );
        },
      },
    ],
  });
}

export async function runClientMutant(
  mutant: ClientMutant,
  target: ConformanceTarget,
): Promise<ClientMutantResult> {
  await mkdir(folder, { recursive: true });
  // Node imports a URL once, and mutants of two clients may have the same name.
  const outfile = join(folder, `${mutant.area}-${mutant.name.replaceAll(/\W+/g, '-')}.mjs`);
  try {
    await bundleMutant(mutant, outfile);
    const loaded = (await import(/* @vite-ignore */ pathToFileURL(outfile).href)) as Entry;
    return { mutant, noticedBy: await notice(mutant, target, loaded) };
  } finally {
    await rm(outfile, { force: true });
  }
}

async function notice(
  { area, sections }: ClientMutant,
  target: ConformanceTarget,
  faultyEntry: Entry,
): Promise<ClientMutantResult['noticedBy']> {
  const isNear = ({ source }: Audit) =>
    sections.some((section) => source === `protocol/${section.replace('#', '.md#')}`);
  for (const near of [true, false]) {
    const failures = await failuresOf(faultyEntry, area, target, (audit) => isNear(audit) === near);
    const ofSoundClient = await failuresOf(soundEntry, area, target, ({ id }) => hasId(failures, id));
    const isFound = ({ id }: Audit) => hasId(failures, id) && !hasId(ofSoundClient, id);
    const found = await failuresOf(faultyEntry, area, target, isFound);
    if (found.length > 0) return found;
  }
  return [];
}

const hasId = (failures: ClientMutantResult['noticedBy'], id: string): boolean =>
  failures.some((failure) => failure.id === id);

async function failuresOf(
  { chooseAudits, createDeadlineScale, runAudits }: Entry,
  area: ClientMutant['area'],
  target: ConformanceTarget,
  isChosen: (audit: Audit) => boolean,
): Promise<ClientMutantResult['noticedBy']> {
  const audits = chooseAudits({ only: area }).filter(isChosen);
  const scale = { ...createDeadlineScale(), record: () => undefined };
  const results = await runAudits(audits, target, { concurrency: 8, timeoutMs: 20_000, scale });
  return results.flatMap(({ audit, outcome }) =>
    outcome.status === 'failed'
      ? [{ id: audit.id, expectation: outcome.expectation, came: outcome.came }]
      : [],
  );
}
