import { afterAll, beforeAll, expect, it } from 'vitest';
import { openRestWorld, type RestWorld } from './rest-world.ts';

const schema = `
  create table public.place (id int primary key, name text);
  create table public.visit (id int primary key, place_id int references public.place, kind text, at timestamptz);
  insert into public.place values (1, 'Lake');
  insert into public.visit values (1, 1, 'work', '2026-01-01 12:00+00'), (2, 1, 'leisure', '2026-01-02 12:00+00');
  create function public.conflict() returns void language plpgsql
    as $$ begin raise serialization_failure; end $$;
  create function public.own_vary() returns int language sql
    as $$ select set_config('response.headers', '[{"Vary": "Origin"}]', true); select 1 $$;
  grant select on public.place, public.visit to service_role;`;

let worlds: Record<14 | 16, RestWorld>;
let strict: RestWorld;
beforeAll(async () => {
  worlds = { 14: await openRestWorld(schema, { version: 14 }), 16: await openRestWorld(schema) };
  strict = await openRestWorld(schema, { version: 16, allowsTargetNames: false });
});
afterAll(async () => {
  for (const world of [worlds[14], worlds[16], strict]) await world.close();
});

const prefer = (value: string) => ({ headers: { prefer: value } });
const times = '/visit?select=at&id=eq.1';

it('version 16 accepts an offset as time zone, and rejects an unknown zone with any handling', async () => {
  const offset = await worlds[16].ask(times, prefer('timezone=-4'));
  expect(await offset.json()).toEqual([{ at: '2026-01-01T08:00:00-04:00' }]);
  expect(offset.headers.get('preference-applied')).toBe('timezone=-4');
  for (const handling of ['', ', handling=lenient', ', handling=strict']) {
    const unknown = await worlds[16].ask(times, prefer(`timezone=Invalid/Timezone${handling}`));
    expect([unknown.status, await unknown.json()]).toEqual([
      400,
      {
        code: '22023',
        details: null,
        hint: null,
        message: 'invalid value for parameter "TimeZone": "Invalid/Timezone"',
      },
    ]);
  }
  const leap = await worlds[16].ask(times, prefer('timezone=05:30:15'));
  expect(await leap.json()).toMatchObject({
    code: '22023',
    details: 'PostgreSQL does not support leap seconds.',
  });
});

it('version 14 ignores an unknown time zone', async () => {
  const response = await worlds[14].ask(times, prefer('timezone=-4'));
  expect([response.status, response.headers.get('preference-applied')]).toEqual([200, null]);
});

it('version 16 adds Vary to responses, unless a function sets it', async () => {
  const vary = async (path: string, version: 14 | 16) =>
    (await worlds[version].ask(path)).headers.get('vary');
  expect(await vary('/place', 14)).toBeNull();
  for (const path of ['/place', '/', '/rpc/conflict?'])
    expect(await vary(path, 16)).toBe(path.startsWith('/rpc') ? null : 'Accept, Prefer, Range');
  expect((await worlds[16].ask('/rpc/own_vary', { method: 'POST' })).headers.get('vary')).toBe('Origin');
});

const renamed = '/place?select=name,trips:visit(id)&visit.kind=eq.work&visit.limit=1';
const shown = [{ name: 'Lake', trips: [{ id: 1 }] }];

it('version 16 warns of a parameter that names an embedded relation which has an alias', async () => {
  const response = await worlds[16].ask(renamed);
  expect(await response.json()).toEqual(shown);
  expect(response.headers.get('warning')).toBe(
    '299 PostgRESTv16.4 "Embedded resource was referenced by relation name even though it has an alias. ' +
      'This is deprecated and will stop working in a future release. Update `visit` to `trips` in query string filters, orders or limits."',
  );
  const byAlias = await worlds[16].ask('/place?select=name,trips:visit(id)&trips.kind=eq.work');
  expect([await byAlias.json(), byAlias.headers.get('warning')]).toEqual([shown, null]);
  expect((await worlds[14].ask(renamed)).headers.get('warning')).toBeNull();
});

it('version 16 without target names distinguishes relations of one table, and rejects a name that has an alias', async () => {
  const both = await strict.ask(
    '/place?select=visit(id),trips:visit(id)&visit.kind=eq.leisure&trips.kind=eq.work',
  );
  expect(await both.json()).toEqual([{ visit: [{ id: 2 }], trips: [{ id: 1 }] }]);
  const refused = await strict.ask(renamed);
  expect([refused.status, await refused.json()]).toEqual([
    400,
    {
      code: 'PGRST108',
      details: 'Target names are not allowed in filters if they have an alias',
      hint: "Change 'visit' to 'trips' in filters, orders or limits.",
      message: "'visit' is not an embedded resource in this request",
    },
  ]);
});

it('a function that raises 40001 is not retried in either version', async () => {
  for (const version of [14, 16] as const) {
    const response = await worlds[version].ask('/rpc/conflict', { method: 'POST' });
    expect([response.status, await response.json()]).toMatchObject([500, { code: '40001' }]);
  }
});

it('the root contains the release', async () => {
  for (const [version, release] of [
    [14, '14.17'],
    [16, '16.4'],
  ] as const) {
    const { info } = (await (await worlds[version].ask('/')).json()) as { info: { version: string } };
    expect(info.version).toBe(release);
  }
});
