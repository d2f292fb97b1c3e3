import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openRestWorld, type RestWorld } from './rest-world.ts';

const schema = `
  create schema "Two Words";
  create table "Two Words".box (width int);

  create schema hidden;
  create table public.author (id int primary key);
  create table public.book (id int primary key);
  create table hidden.authorship (
    author_id int references public.author, book_id int references public.book, primary key (author_id, book_id));
  create table public.writer (id int primary key, reviewer_id int references public.writer);

  create domain public.celsius as numeric;
  create function public.celsius(json) returns public.celsius language sql immutable
    as $$ select rtrim($1 #>> '{}', '°C')::numeric $$;
  create cast (json as public.celsius) with function public.celsius(json) as implicit;
  create table public.reading (id int primary key, value public.celsius);

  create table public.team (id int primary key);
  create table public.player (id int primary key, team_id int references public.team);
  create view public.roster as
    select p.id, t.id as team_id from public.player p left join public.team t on t.id = p.team_id;
  create rule roster_insert as on insert to public.roster do instead
    insert into public.player values (new.id, new.team_id) returning id, team_id;

  create table public.sample as select i from generate_series(1, 30) i;
  create function public.double(public.sample) returns int language sql stable as $$ select $1.i * 2 $$;
  analyze public.sample;
  grant usage on schema "Two Words" to service_role;
  grant all on all tables in schema public, "Two Words" to service_role;`;

let world: RestWorld;
beforeAll(async () => {
  world = await openRestWorld(schema, { schemas: ['public', 'Two Words'], maxRows: null });
});
afterAll(async () => world.close());

const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  world.ask(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });

describe('the catalog', () => {
  it('contains the columns of a schema with a name that needs quotes', async () => {
    const response = await post('/box', { width: 3 }, { 'content-profile': 'Two Words' });
    expect(response.status).toBe(201);
  });

  it('suggests no parent for an embedding whose only junction is internal', async () => {
    const response = await world.ask('/author?select=book(*)');
    expect(await response.json()).toMatchObject({ code: 'PGRST200', hint: null });
  });

  it('reads the JSON of a domain with its cast', async () => {
    const response = await post('/reading', { id: 1, value: '21.5°C' }, { prefer: 'return=representation' });
    expect(await response.json()).toEqual([{ id: 1, value: 21.5 }]);
  });

  it('returns every key of a view in the location of its new row', async () => {
    const response = await post('/roster', { id: 1 }, { prefer: 'return=headers-only' });
    expect(response.headers.get('location')).toBe('/roster?id=eq.1&team_id=is.null');
  });

  it("uses the planner's count if no row limit is set", async () => {
    const response = await world.ask('/sample?double=gt.58', { headers: { prefer: 'count=estimated' } });
    expect(response.headers.get('content-range')).toBe('0-0/10');
  });
});
