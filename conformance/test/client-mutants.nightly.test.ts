import type { LocalSupabase } from 'local-supabase';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLocalTarget, startLocalSupabase } from '../bin/local-target.ts';
import { clientMutants } from './mutants/client-mutants.ts';
import { runClientMutant, type ClientMutantResult } from './mutants/client-mutation-run.ts';
import { writeMutantTable } from './mutants/mutant-table.ts';

describe('a client that', () => {
  const results: ClientMutantResult[] = [];
  let supabase: LocalSupabase;

  beforeAll(async () => {
    supabase = await startLocalSupabase();
  }, 300_000);

  afterAll(async () => {
    await supabase.close();
    await writeMutantTable('clients', results);
  });

  it.each(
    clientMutants.map((mutant) => [`${mutant.name} (${mutant.area}, ${mutant.subject})`, mutant] as const),
  )('%s is detected, or has an explanation', { timeout: 300_000 }, async (_name, mutant) => {
    const result = await runClientMutant(mutant, createLocalTarget(supabase));
    results.push(result);
    expect(result.noticedBy.length > 0).toBe(mutant.survives === undefined);
  });

  it('at least 95 in 100 of at least 50 faulty clients are detected', () => {
    expect(clientMutants.length).toBeGreaterThanOrEqual(50);
    const explained = clientMutants.filter(({ survives }) => survives !== undefined);
    expect(explained.length / clientMutants.length).toBeLessThanOrEqual(0.05);
  });
});
