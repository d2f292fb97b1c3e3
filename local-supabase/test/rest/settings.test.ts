import { readPath } from '../../src/services/rest/request/token-claims.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openRestWorld, serveRest, type RestWorld } from './rest-world.ts';

const schema = `
  create table public.shelf (id int primary key);
  create table public.book (id int primary key, shelf_id int references public.shelf, title text);
  create table public.secret (id int primary key);
  revoke all on public.secret from anon;
  insert into public.shelf values (1);
  insert into public.book values (1, 1, 'Notes');
  grant select on public.shelf, public.book to service_role;
  create function public.check_request() returns void language plpgsql as $$
    begin
      if current_setting('request.headers', true)::json ->> 'x-refused' is not null then
        raise sqlstate 'PT403' using message = 'refused';
      end if;
    end $$;
  create function public.my_role() returns text language sql stable as $$ select current_user $$;
  create function public.root() returns json language sql as $$ select '{"swagger": "own"}'::json $$;`;

const asService = { 'https://example.com/roles': ['service_role'] };
let plain: RestWorld;
let configured: RestWorld;
let closed: RestWorld;
beforeAll(async () => {
  plain = await openRestWorld(schema);
  configured = await serveRest(plain.database, {
    preRequest: 'public.check_request',
    rootSpec: 'root',
    sendsTiming: true,
    audience: 'project',
    roleClaimKey: '."https://example.com/roles"[0]',
  });
  closed = await serveRest(plain.database, { openApiMode: 'disabled' });
});
afterAll(async () => {
  for (const world of [configured, closed, plain]) await world.close();
});

it.each([
  ['an embedded relation with a negative limit', '/shelf?select=id,book(title)&book.limit=-1'],
  ['a value that is not UTF-8', '/book?title=eq.%FF'],
])('%s gets a 500 from the web server of PostgREST', async (_, path) => {
  const response = await plain.ask(path);
  expect([response.status, response.headers.get('content-type'), await response.text()]).toEqual([
    500,
    'text/plain; charset=utf-8',
    'Something went wrong',
  ]);
});

it('a limit of zero for an embedded relation, and a negative one for the request, still get a response', async () => {
  expect(await (await plain.ask('/shelf?select=id,book(title)&book.limit=0')).json()).toEqual([
    { id: 1, book: [] },
  ]);
  expect((await plain.ask('/shelf?limit=-1')).status).toBe(416);
});

it('the role "none", which is the login role and a superuser here, is rejected at every path of a token', async () => {
  const asNone = { 'https://example.com/roles': ['none'] };
  for (const path of ['/secret', '/rpc/my_role']) {
    const refused = await configured.ask(path, {}, asNone);
    expect([refused.status, await refused.json()]).toMatchObject([403, { code: '42501' }]);
  }
});

it('a function that runs before each request rejects or admits it', async () => {
  const refused = await configured.ask('/book', { headers: { 'x-refused': '1' } }, asService);
  expect([refused.status, await refused.json()]).toMatchObject([403, { message: 'refused' }]);
  expect(await (await configured.ask('/book?select=id', {}, asService)).json()).toEqual([{ id: 1 }]);
});

it('the root is the result of a function, or 404 if descriptions are disabled', async () => {
  expect(await (await configured.ask('/', {}, asService)).json()).toEqual({ swagger: 'own' });
  const off = await closed.ask('/');
  expect([off.status, await off.json()]).toMatchObject([
    404,
    { code: 'PGRST126', message: 'Root endpoint metadata is disabled' },
  ]);
});

it('the description contains the tables that the role may use, or every table', async () => {
  const all = await serveRest(plain.database, { openApiMode: 'ignore-privileges' });
  const tablesOf = async (world: RestWorld) => {
    const response = await world.ask('/', {}, { role: 'anon' });
    return Object.keys(((await response.json()) as { definitions: object }).definitions);
  };
  expect(await tablesOf(plain)).not.toContain('secret');
  expect(await tablesOf(all)).toContain('secret');
  await all.close();
});

it('the timing of a request has five phases in milliseconds', async () => {
  const phase = (name: string) => `${name};dur=\\d+\\.\\d`;
  const expected = ['jwt', 'parse', 'plan', 'transaction', 'response'].map(phase).join(', ');
  const response = await configured.ask('/book', {}, asService);
  expect(response.headers.get('server-timing')).toMatch(new RegExp(`^${expected}$`));
  expect((await plain.ask('/book')).headers.has('server-timing')).toBe(false);
});

it('the role of a token is read at the configured path, and another audience is rejected', async () => {
  const roleOf = async (claims: Record<string, unknown>) => {
    const response = await configured.ask('/rpc/my_role', {}, claims);
    return response.json();
  };
  expect(await roleOf(asService)).toBe('service_role');
  expect(await roleOf({ role: 'service_role' })).toBe('anon');
  for (const aud of ['project', ['other', 'project'], []])
    expect(await roleOf({ ...asService, aud })).toBe('service_role');
  const refused = await configured.ask('/book', {}, { ...asService, aud: 'other' });
  expect([refused.status, await refused.json()]).toMatchObject([
    401,
    { code: 'PGRST303', message: 'JWT not in audience' },
  ]);
  await expect(serveRest(plain.database, { roleClaimKey: 'role' })).rejects.toThrow(
    'is not a path to a role',
  );
});

it.each([
  ['.roles[1]', 'author'],
  ['$.roles[0]', 'reader'],
  ["$['https://a.example/role'].key", 'editor'],
  ["$.roles[?(@ == 'author')]", 'author'],
  ['$.roles[?@ != "reader"]', 'author'],
  ["$.roles[?search(@, '^au')]", 'author'],
  ['.roles[?(@ ^== "au")]', 'author'],
  ['.roles[?(@ ==^ "der")]', 'reader'],
  ['.roles[?(@ *== "tho")]', 'author'],
  ['.roles[?(@ == "none")]', undefined],
])('the path %s leads to %s', (path, role) => {
  const claims = { roles: ['reader', 'author'], 'https://a.example/role': { key: 'editor' } };
  expect(readPath(claims, path)).toBe(role);
});

describe('an update or delete without a filter', () => {
  const own = `create table public.page (id int primary key, text text);
    insert into public.page values (1, 'a'), (2, 'b');
    create view public.pages as select * from public.page;
    grant all on public.page, public.pages to service_role, anon;
    alter role authenticator set pgrst.db_plan_enabled = 'true';`;
  const headers = { 'content-type': 'application/json', prefer: 'return=representation' };
  const patch = { method: 'PATCH', body: '{"text":"c"}', headers };
  let world: RestWorld;
  beforeAll(async () => void (world = await openRestWorld(own)));
  afterAll(() => world.close());

  const stored = async () => (await world.ask('/page?select=text&order=id')).json();
  const original = [{ text: 'a' }, { text: 'b' }];

  it.each([
    ['DELETE', '/page', { method: 'DELETE' }, 'service_role'],
    ['DELETE', '/pages?order=id&limit=1&select=nothing', { method: 'DELETE', headers }, 'service_role'],
    ['DELETE', '/page', { method: 'DELETE' }, 'anon'],
    ['UPDATE', '/page?limit=1', patch, 'authenticated'],
  ])('is rejected as by pg_safeupdate: %s %s', async (command, path, init, role) => {
    const response = await world.ask(path, init, { role });
    const refusal = {
      code: '21000',
      message: `${command} requires a WHERE clause`,
      details: null,
      hint: null,
    };
    expect([response.status, await response.json()]).toEqual([400, refusal]);
    expect(await stored()).toEqual(original);
  });

  it('can be explained, and an update without columns changes nothing', async () => {
    const accept = 'application/vnd.pgrst.plan+json';
    expect((await world.ask('/page', { ...patch, headers: { ...headers, accept } })).status).toBe(200);
    expect((await world.ask('/page', { ...patch, body: '{}' })).status).toBe(200);
    expect(await stored()).toEqual(original);
  });

  it('is accepted if the role does not preload the library', async () => {
    await world.database.exec(
      `alter role authenticator reset session_preload_libraries; notify pgrst, 'reload config'`,
    );
    expect((await world.ask('/page', patch)).status).toBe(200);
    expect(await stored()).toEqual([{ text: 'c' }, { text: 'c' }]);
  });
});

describe('the settings of the role authenticator', () => {
  const own = `create table public.entry (id int primary key);
    insert into public.entry select generate_series(1, 5);
    grant select, insert, delete on public.entry to service_role;
    create function public.refuse() returns void language plpgsql as $$
      begin raise sqlstate 'PT403' using message = 'refused'; end $$;
    create schema other;
    create table other.thing (id int);
    grant usage on schema other to service_role;
    grant select on other.thing to service_role;`;
  const alter = (name: string, value: string) => `alter role authenticator set pgrst.${name} = '${value}';`;
  const json = async (response: Promise<Response>) => (await response).json();
  const reports: unknown[] = [];
  let world: RestWorld;
  beforeAll(async () => {
    const settings = alter('db_aggregates_enabled', 'true') + alter('db_max_rows', '2');
    world = await openRestWorld(own + settings, { maxRows: 4 }, (problem) => reports.push(problem));
  });
  afterAll(() => world.close());

  const reload = (sql: string) => world.database.exec(`${sql} notify pgrst, 'reload config';`);

  it('override those of the project at the start', async () => {
    expect(await json(world.ask('/entry?select=id.sum()'))).toEqual([{ sum: 15 }]);
    expect(await json(world.ask('/entry?select=id'))).toHaveLength(2);
  });

  it('are read again after "reload config" only', async () => {
    await world.database.exec(alter('db_max_rows', '3'));
    expect(await json(world.ask('/entry?select=id'))).toHaveLength(2);
    await reload(`alter role authenticator in database postgres set pgrst.db_max_rows = '1';`);
    expect(await json(world.ask('/entry?select=id'))).toHaveLength(1);
    await reload('alter role authenticator in database postgres reset pgrst.db_max_rows;');
    expect(await json(world.ask('/entry?select=id'))).toHaveLength(3);
    await reload('alter role authenticator reset pgrst.db_max_rows;');
    expect(await json(world.ask('/entry?select=id'))).toHaveLength(4);
    await reload(alter('db_max_rows', ''));
    expect(await json(world.ask('/entry?select=id'))).toHaveLength(5);
  });

  it('allow plans, call a function before each request and name the schemas', async () => {
    const accept = 'application/vnd.pgrst.plan+json';
    expect((await world.ask('/entry', { headers: { accept } })).status).toBe(406);
    await reload(alter('db_plan_enabled', 'True') + alter('db_schemas', 'public, other, graphql_public'));
    expect((await world.ask('/entry', { headers: { accept } })).status).toBe(200);
    expect(await json(world.ask('/thing', { headers: { 'accept-profile': 'other' } }))).toEqual([]);
    await reload(alter('db_pre_request', 'public.refuse'));
    expect((await world.ask('/entry')).status).toBe(403);
    await reload('alter role authenticator reset pgrst.db_pre_request;');
  });

  it('roll transactions back, unless a request overrides that', async () => {
    const post = (prefer: string) => {
      const headers = { prefer, 'content-type': 'application/json' };
      return world.ask('/entry', { method: 'POST', body: '{"id": 9}', headers });
    };
    const stored = () => json(world.ask('/entry?select=id&id=eq.9'));
    await reload(alter('db_tx_end', 'rollback'));
    expect((await post('tx=commit')).status).toBe(201);
    expect(await stored()).toEqual([]);
    await reload(alter('db_tx_end', 'rollback-allow-override'));
    expect((await post('tx=commit')).headers.get('preference-applied')).toBe('tx=commit');
    expect(await stored()).toEqual([{ id: 9 }]);
    await reload(alter('db_tx_end', 'commit'));
  });

  it('stay unchanged after a malformed one, which is reported; at the start it is an error', async () => {
    const [name, value] = ['openapi_mode', 'open'] as const;
    await reload(alter('db_max_rows', '1') + alter(name, value));
    expect(await json(world.ask('/entry?select=id'))).not.toHaveLength(1);
    expect(reports).toEqual([new TypeError("pgrst.openapi_mode: 'open' is not a mode")]);
    await expect(serveRest(world.database, {})).rejects.toThrow("'open' is not a mode");
  });
});
