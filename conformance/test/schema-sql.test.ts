import { expect, it } from 'vitest';
import { applySchema } from '../src/schema/schema-sql.ts';
import { target as withoutServices } from './sample-audits.ts';

/** A target with a REST service that knows the tables from its `readsAt`th response on. */
function targetThatReadsAt(readsAt: number) {
  const statements: string[] = [];
  let requests = 0;
  return {
    statements,
    requests: () => requests,
    target: {
      ...withoutServices,
      restUrl: 'http://127.0.0.1:1/rest/v1',
      query: (text: string) => Promise.resolve(void statements.push(text)),
      fetch: () => {
        requests += 1;
        return Promise.resolve(
          requests < readsAt
            ? Response.json({ code: 'PGRST205', message: 'unknown' }, { status: 404 })
            : Response.json([]),
        );
      },
    },
  };
}

it('the audits begin once the REST service knows the new tables', async () => {
  const { target, requests, statements } = targetThatReadsAt(3);
  const remove = await applySchema(target);
  expect(requests()).toBe(3);
  await remove();
  expect(statements).toEqual([expect.any(String), expect.stringContaining('create table'), statements[0]]);
});

it('tables that the REST service does not detect are removed, and the run does not begin', async () => {
  const { target, statements } = targetThatReadsAt(Infinity);
  await expect(applySchema(target, { timeoutMs: 0 })).rejects.toThrow('has not read the new tables');
  expect(statements).toEqual([expect.any(String), expect.stringContaining('create table'), statements[0]]);
});
