import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseFilters } from '../../src/services/realtime/subscription/filters.ts';
import { ADA, createRealtimeWorld } from './realtime-world.ts';
import type { RealtimeWorld } from './realtime-world.ts';

describe('the text of a filter', () => {
  const filter = (column: string, operator: string, value: string, negated = false) => ({
    column,
    operator,
    value,
    negated,
  });

  test.each([
    ['', []],
    ['   ', []],
    ['a=eq.1', [filter('a', 'eq', '1')]],
    ['a=not.eq.1', [filter('a', 'eq', '1', true)]],
    [' a=gt.0 , b=lt.9 ', [filter('a', 'gt', '0'), filter('b', 'lt', '9')]],
    ['a=eq."x,y"', [filter('a', 'eq', 'x,y')]],
    [String.raw`a=eq."say \"hi\", you"`, [filter('a', 'eq', 'say "hi", you')]],
    ['a=eq."half', [filter('a', 'eq', '"half')]],
    ['a=eq.mid"dle', [filter('a', 'eq', 'mid"dle')]],
    ['a=in.(x,"y,z"),b=eq.1', [filter('a', 'in', '{x,"y,z"}'), filter('b', 'eq', '1')]],
    ['a=eq.f(1,2)', [filter('a', 'eq', 'f(1,2)')]],
    ['a=eq.b=c.d', [filter('a', 'eq', 'b=c.d')]],
    ['a=eq.', [filter('a', 'eq', '')]],
  ])('%j is parsed', (text, filters) => {
    expect(parseFilters(text)).toEqual(filters);
  });
});

describe('each operator', () => {
  let world: RealtimeWorld;
  beforeAll(async () => {
    world = await createRealtimeWorld();
    await world.database.exec(`
      create table rows (id int primary key, n numeric, t text, b boolean, at timestamptz, u uuid, o bytea);
      grant select on rows to authenticated; alter publication supabase_realtime add table rows;`);
  });
  afterAll(() => world.close());

  const ROWS = `
    (1, 1.0, 'Alpha', true, '2026-01-01Z', '${ADA}', '\\x01'), (2, 2.5, 'beta, "gamma"', false, '2026-06-01Z', null, '\\x02'),
    (3, null, null, null, null, null, null), (4, -4, 'o''brien \\ (x)', true, '2027-01-01Z', null, null)`;

  test('matches as PostgreSQL does, and null only with is and isdistinct', async () => {
    const cases: Record<string, number[]> = {
      'n=eq.1': [1],
      'n=eq.1.00': [1],
      'n=neq.1': [2, 4],
      'n=gt.1': [2],
      'n=gte.1': [1, 2],
      'n=lt.1': [4],
      'n=lte.1': [1, 4],
      'n=not.eq.1': [2, 4],
      'id=in.(1,3)': [1, 3],
      'id=not.in.(1,3)': [2, 4],
      't=in.(Alpha,"beta, \\"gamma\\"")': [1, 2],
      't=like.%l%': [1],
      't=ilike.AL%': [1],
      't=not.ilike.AL%': [2, 4],
      't=match.^[A-Z]': [1],
      't=imatch.^[ab]': [1, 2],
      't=eq.Alpha': [1],
      't=eq."beta, \\"gamma\\""': [2],
      "t=eq.o'brien \\ (x)": [4],
      'b=is.true': [1, 4],
      'b=is.unknown': [3],
      'b=is.null': [3],
      'b=not.is.null': [1, 2, 4],
      't=isdistinct.Alpha': [2, 3, 4],
      't=not.isdistinct.Alpha': [1],
      'at=gte.2026-06-01T02:00:00+02:00': [2, 4],
      [`u=eq.${ADA.toUpperCase()}`]: [1],
      // As on the real server, bytea compares as hex digits without the prefix.
      'o=eq.\\x02': [],
      'o=eq.02': [2],
      'b=eq.t,n=gt.0': [1],
      'b=eq.true,n=lt.0,t=match.brien': [4],
    };
    const client = await world.connect();
    const changes = Object.keys(cases).map((filter) => ({ schema: 'public', table: 'rows', filter }));
    client.join('realtime:t', { changes, token: await world.tokenOf(ADA) });
    const { response } = (await client.next()).payload as {
      response: { postgres_changes: { id: number; filter: string }[] };
    };
    expect((await client.nextOf('system')).payload).toMatchObject({ status: 'ok' });
    await world.database.exec(`insert into rows values ${ROWS}`);
    await world.service.settled();
    const sent: Record<string, number[]> = Object.fromEntries(
      Object.keys(cases).map((filter) => [filter, []]),
    );
    for (const { payload } of await client.flush()) {
      const { record } = payload['data'] as { record: { id: number } };
      for (const id of payload['ids'] as number[]) {
        const filter = response.postgres_changes.find((echo) => echo.id === id)?.filter ?? '';
        sent[filter]?.push(record.id);
      }
    }
    expect(sent).toEqual(cases);
    expect(world.reported).toEqual([]);
  });
});
