import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serverMutants } from './mutants/server-mutants.ts';
import { startMutationRun, type MutantResult, type MutationRun } from './mutants/mutation-run.ts';
import { writeMutantTable } from './mutants/mutant-table.ts';

describe('a server that', () => {
  const results: MutantResult[] = [];
  let mutation: MutationRun;

  beforeAll(async () => {
    mutation = await startMutationRun();
  }, 300_000);

  afterAll(async () => {
    await mutation.close();
    await writeMutantTable('servers', results);
  });

  it.each(
    serverMutants.map((mutant) => [`${mutant.name} (${mutant.area}, ${mutant.subject})`, mutant] as const),
  )('%s is detected, or has an explanation', { timeout: 300_000 }, async (_name, mutant) => {
    const result = await mutation.run(mutant);
    results.push(result);
    expect(result.noticedBy.length > 0).toBe(mutant.survives === undefined);
    for (const { expectation, came } of result.noticedBy) {
      expect(expectation).toMatch(/\w+ \w+/);
      expect(came).not.toBe('');
      expect(`${expectation} ${came}`).not.toContain('strictly');
    }
  });

  it('at least 95 in 100 of at least 100 faulty servers are detected', () => {
    expect(serverMutants.length).toBeGreaterThanOrEqual(100);
    const explained = serverMutants.filter(({ survives }) => survives !== undefined);
    expect(explained.length / serverMutants.length).toBeLessThanOrEqual(0.05);
  });
});
