import { afterEach, describe, expect, it, vi } from 'vitest';
import { createLiveQuery } from '../../src/realtime-client/live-query/live-query.ts';
import { createQuery, openLiveQuery, type SceneOptions } from '../support/wire/live-query-scene.ts';
import { createScriptedScene } from '../support/wire/scripted-realtime.ts';

interface Item {
  readonly id: string;
  readonly title: string;
  readonly author?: { readonly name: string };
  readonly at?: string;
}

const item = (id: string, title = id): Item => ({ id, title });
const openQuery = (options: SceneOptions<Item> = {}) => openLiveQuery<Item>({ key: 'id', ...options });
/** A change that names a row; its other columns are those of the table. */
const inserted = (id: string) => ({ type: 'INSERT', record: { id, raw: true } });
const updated = (id: string, oldId = id) => ({ type: 'UPDATE', record: { id }, old_record: { id: oldId } });
const deleted = (id: string) => ({ type: 'DELETE', old_record: { id } });

afterEach(() => vi.restoreAllMocks());

describe('a live query', () => {
  it('reads once when the channel is live, and is current afterwards', async () => {
    const { confirm, reads, respond, query, status } = await openQuery();
    expect([reads.length, status()]).toEqual([0, 'joining']);
    await confirm();
    expect([reads.length, status()]).toEqual([1, 'reading']);
    await respond([item('a')]);
    expect(query.getSnapshot()).toEqual({
      rows: [item('a')],
      isLoaded: true,
      status: 'current',
      isCurrent: true,
      error: null,
      lastRepair: null,
    });
  });

  it('reads before the channel is live, and again when it is', async () => {
    const { confirm, reads, respond, query } = await openQuery({ isEager: true });
    await respond([item('a')]);
    expect(query.getSnapshot()).toMatchObject({ isLoaded: true, status: 'joining', isCurrent: false });
    await confirm();
    await respond([item('a')]);
    expect([reads.length, query.getSnapshot().isCurrent]).toEqual([2, true]);
  });

  it('reads a changed row again, so that it keeps the form of the query', async () => {
    const { confirm, change, respond, reads, rows, status } = await openQuery();
    await confirm();
    await respond([item('a'), item('b')]);
    await change(updated('a'));
    expect([reads.at(-1)?.narrowed, rows(), status()]).toEqual([
      { id: ['a'] },
      [item('a'), item('b')],
      'current',
    ]);
    const joined = { ...item('a', 'new'), author: { name: 'Ada' } };
    await respond([joined]);
    expect(rows()).toEqual([joined, item('b')]);
  });

  it('reads the rows of a burst by one request, and more than a hundred as the list', async () => {
    const { confirm, change, respond, reads, advance } = await openQuery();
    await confirm();
    await respond([]);
    await change(inserted('a'), updated('a'), inserted('b'));
    expect(reads.map(({ narrowed }) => narrowed)).toEqual([{}, { id: ['a', 'b'] }]);
    await respond([item('a'), item('b')]);
    await change(...Array.from({ length: 101 }, (_, index) => inserted(`${index}`)));
    await advance(1_000);
    expect(reads.slice(2).map(({ narrowed }) => narrowed)).toEqual([{}]);
  });

  it('reads at most five times per second in a steady stream of changes', async () => {
    const { confirm, respond, reads, status, server, advance } = await openQuery();
    await confirm();
    await respond([]);
    for (let step = 0; step < 100; step += 1) {
      server.change(inserted(`${step}`));
      await advance(20);
      await respond([item(`${step}`)]);
    }
    expect([reads.length, status()]).toEqual([11, 'current']);
  });

  it('removes a row that no longer fulfills the conditions of the query', async () => {
    const { confirm, change, respond, rows } = await openQuery();
    await confirm();
    await respond([item('a'), item('b')]);
    await change(updated('a'));
    await respond([]);
    expect(rows()).toEqual([item('b')]);
  });

  it('removes a deleted row at once, also one that the read in flight still returns', async () => {
    const { confirm, change, respond, rows, reads, query, world } = await openQuery();
    await confirm();
    await respond([item('a'), item('b')]);
    await change(deleted('a'));
    expect([rows(), reads.length]).toEqual([[item('b')], 1]);
    query.refresh();
    await world.settle();
    await change(deleted('b'));
    await respond([item('b'), item('c')]);
    expect(rows()).toEqual([item('c')]);
  });

  it('does not read a row that was inserted and deleted in one burst', async () => {
    const { confirm, change, respond, rows, reads, server, advance } = await openQuery();
    await confirm();
    await respond([]);
    server.change(inserted('a'));
    await advance(20);
    await change(deleted('a'));
    expect([rows(), reads.length]).toEqual([[], 1]);
  });

  it('reads again what changed during a read', async () => {
    const { confirm, change, respond, rows, reads, advance } = await openQuery();
    await confirm();
    await change(updated('a'), deleted('b'), inserted('b'));
    await respond([item('a', 'old'), item('b', 'old')]);
    await advance(800);
    expect(reads.at(-1)?.narrowed).toEqual({ id: ['a', 'b'] });
    await respond([item('a', 'new'), item('b', 'new')]);
    expect(rows()).toEqual([item('a', 'new'), item('b', 'new')]);
  });

  it('reads both rows where an update changes the key', async () => {
    const { confirm, change, respond, rows, reads } = await openQuery();
    await confirm();
    await respond([item('a')]);
    await change(updated('b', 'a'));
    expect(reads.at(-1)?.narrowed).toEqual({ id: ['a', 'b'] });
    await respond([item('b')]);
    expect(rows()).toEqual([item('b')]);
  });

  it('reads the list after a change without its data, or without the key', async () => {
    const { confirm, change, respond, reads, advance } = await openQuery();
    await confirm();
    await respond([]);
    await change({ errors: ['Error 413: Payload Too Large'], record: {} });
    expect(reads.map(({ narrowed }) => narrowed)).toEqual([{}, {}]);
    await respond([]);
    await advance(1_000);
    await change({ type: 'DELETE', old_record: { other: 1 } });
    expect(reads.map(({ narrowed }) => narrowed)).toEqual([{}, {}, {}]);
  });

  it('coalesces simultaneous refreshes, and reads once more for those during a read', async () => {
    const { confirm, respond, reads, query, world } = await openQuery();
    await confirm();
    query.refresh();
    query.refresh();
    await world.settle();
    expect(reads).toHaveLength(1);
    await respond([]);
    expect([reads.length, query.getSnapshot().isCurrent]).toEqual([2, false]);
    await respond([]);
    expect([reads.length, query.getSnapshot().isCurrent]).toEqual([2, true]);
  });

  it('is not current two seconds after a change that it could not read', async () => {
    const { confirm, change, respond, advance, status } = await openQuery();
    await confirm();
    await respond([item('a')]);
    await change(updated('a'));
    await advance(1_900);
    expect(status()).toBe('current');
    await advance(200);
    expect(status()).toBe('reading');
    await respond([item('a', 'new')]);
    expect(status()).toBe('current');
  });

  it('publishes the error of a failed read, and retries the whole list after a delay', async () => {
    const { confirm, respond, change, reads, query, advance, world } = await openQuery();
    await confirm();
    await respond([]);
    await change(inserted('a'));
    const problem = new Error('no network');
    reads.at(-1)?.reject(problem);
    await world.settle();
    expect(query.getSnapshot()).toMatchObject({ error: problem, status: 'reading' });
    await advance(1_000);
    expect(reads.at(-1)?.narrowed).toEqual({});
    await respond([item('a')]);
    expect(query.getSnapshot()).toMatchObject({ error: null, isCurrent: true, rows: [item('a')] });
  });

  it('treats a read that throws synchronously as failed', async () => {
    const problem = new Error('bad filter');
    const { confirm, query } = await openQuery({
      read: () => {
        throw problem;
      },
    });
    await confirm();
    expect(query.getSnapshot()).toMatchObject({ error: problem, isCurrent: false });
  });

  it('is not current after a final failure until a read succeeds', async () => {
    const { confirm, respond, reads, server, query, world, advance } = await openQuery({
      shouldRetry: () => false,
    });
    await confirm();
    await respond([]);
    server.confirm();
    await world.settle();
    reads.at(-1)?.reject(new Error('forbidden'));
    await advance(20_000);
    expect([reads.length, query.getSnapshot().isCurrent]).toEqual([2, false]);
    query.refresh();
    await world.settle();
    await respond([]);
    expect(query.getSnapshot()).toMatchObject({ isCurrent: true, error: null, lastRepair: null });
  });

  it('is not current while it is stopped, even on a live channel', async () => {
    const { channel, confirm, respond, query, status, stop, world } = await openQuery();
    await confirm();
    await respond([]);
    channel.join();
    stop();
    expect([channel.getSnapshot().status, status()]).toEqual(['live', 'stopped']);
    query.start();
    await world.settle();
    await respond([]);
    expect(status()).toBe('current');
  });

  it('reads the rows that this tab has written without waiting for their changes', async () => {
    const { confirm, respond, query, reads, rows, world } = await openQuery();
    await confirm();
    await respond([]);
    query.refreshRows([{ id: 'own' }]);
    await world.clock.advance(200);
    expect(reads.at(-1)?.narrowed).toEqual({ id: ['own'] });
    await respond([item('own')]);
    expect(rows()).toEqual([item('own')]);
  });

  it('shows initial rows until the first read, and keeps its rows while nothing changes', async () => {
    const { query, confirm, respond, world, rows } = await openQuery({ initialRows: [item('cached')] });
    expect(query.getSnapshot()).toMatchObject({ rows: [item('cached')], isLoaded: false });
    await confirm();
    await respond([item('a'), item('b')]);
    const [before, [first]] = [rows(), rows()];
    query.refresh();
    await world.settle();
    await respond([item('a'), item('b')]);
    expect(rows()).toBe(before);
    query.refresh();
    await world.settle();
    await respond([item('a'), item('b', 'new')]);
    expect([rows()[0] === first, rows()[1]]).toEqual([true, item('b', 'new')]);
  });

  it('aborts its read and leaves the channel on the last stop', async () => {
    const { confirm, reads, stop, advance, server, query, client, world } = await openQuery();
    await confirm();
    const stopToo = query.start();
    stop();
    stop();
    expect(reads.at(-1)?.signal.aborted).toBe(false);
    stopToo();
    expect(reads.at(-1)?.signal.aborted).toBe(true);
    query.refresh();
    query.refreshRows([item('a')]);
    await advance(60_000);
    expect([server.sentEvents(), reads.length]).toEqual([['phx_join', 'phx_leave'], 1]);
    client.close();
    await advance(2_000);
    expect(world.clock.pendingTimers).toBe(0);
  });

  it('ignores the late response of a read from before its last stop', async () => {
    const { respond, reads, stop, query, rows, world } = await openQuery({ isEager: true });
    stop();
    query.start();
    await world.settle();
    reads[0]?.resolve([item('a', 'old')]);
    await world.settle();
    expect([reads.length, rows()]).toEqual([2, []]);
    await respond([item('a', 'new')]);
    expect(rows()).toEqual([item('a', 'new')]);
  });

  it('notifies once per frame in a burst of deletes', async () => {
    const { confirm, respond, change, query, rows } = await openQuery();
    await confirm();
    const ids = Array.from({ length: 1_000 }, (_, index) => `${index}`);
    await respond(ids.map((id) => item(id)));
    let notified = 0;
    query.subscribe(() => (notified += 1));
    await change(...ids.map(deleted));
    expect([notified, rows().length]).toEqual([1, 0]);
  });
});

describe('the order of a live query', () => {
  const times = { late: '2026-01-02T00:00:00+00:00', early: '2026-01-01T00:00:00.5+00:00' };

  it.each([
    ['at.desc', { at: times.early }, { at: times.late }],
    ['at.asc', { at: times.late }, { at: times.early }],
    ['at.desc', { at: times.late }, { at: null }],
    ['at.desc.nullslast', { at: null }, { at: times.late }],
    ['n.asc', { n: 10 }, { n: 9 }],
    ['isNew.asc,at.desc', { isNew: false, at: times.early }, { isNew: false, at: times.late }],
  ])('places a new row by %s', async (order, known, added) => {
    const { confirm, respond, change, rows, reads } = await openLiveQuery<{ id: string }>({
      key: 'id',
      plan: { order: order.split(',') },
    });
    await confirm();
    await respond([{ id: 'known', ...known }]);
    await change(inserted('added'));
    await respond([{ id: 'added', ...added }]);
    expect([rows().map(({ id }) => id), reads.length]).toEqual([['added', 'known'], 2]);
  });

  it.each([
    ['a text, which the database sorts', ['title.asc']],
    ['a column that the rows lack', ['secret.asc']],
    ['a related column', ['author(name).asc']],
  ])('is read again where a new row is placed by %s', async (_name, order) => {
    const { confirm, respond, change, advance, rows, reads } = await openQuery({ plan: { order } });
    await confirm();
    await respond([item('b')]);
    await change(inserted('ä'));
    await respond([item('ä')]);
    await advance(200);
    expect(reads.map(({ narrowed }) => narrowed)).toEqual([{}, { id: ['ä'] }, {}]);
    await respond([item('ä'), item('b')]);
    expect(rows()).toEqual([item('ä'), item('b')]);
  });

  it('is not read again where a change keeps the text that it sorts by', async () => {
    const { confirm, respond, change, advance, rows, reads } = await openQuery({
      plan: { order: ['title.asc'] },
    });
    await confirm();
    await respond([item('a', 'same'), item('b', 'same')]);
    await change(updated('a'));
    await respond([{ ...item('a', 'same'), at: 'new' }]);
    await advance(1_000);
    expect([reads.length, rows()[0]]).toEqual([2, { ...item('a', 'same'), at: 'new' }]);
  });

  it('with a limit is read again for each change that may move its end', async () => {
    const { confirm, respond, change, advance, rows, reads } = await openQuery({ plan: { limit: 1 } });
    await confirm();
    await respond([item('a')]);
    await change(deleted('elsewhere'));
    await advance(1_000);
    expect(reads).toHaveLength(1);
    await change(deleted('a'));
    await respond([item('b')]);
    expect([rows(), reads.map(({ narrowed }) => narrowed)]).toEqual([[item('b')], [{}, {}]]);
    await advance(1_000);
    await change(inserted('c'));
    expect(reads).toHaveLength(3);
  });
});

describe('the keys of a live query', () => {
  const big = { first: '1234567890123456789', second: '1234567890123456790' };

  it('distinguish int8 that were selected as text', async () => {
    const { confirm, respond, change, rows } = await openQuery();
    await confirm();
    await respond([item(big.first), item(big.second)]);
    await change({ type: 'UPDATE', record: { id: big.first }, old_record: { id: big.first } });
    await respond([item(big.first, 'new')]);
    await change(deleted(big.second));
    expect(rows()).toEqual([item(big.first, 'new')]);
  });

  it.each([
    ['JSON has rounded them', [{ id: Number(big.first) }], 'id::text'],
    ['a row lacks one', [{ title: 'a' }], 'lacks its key'],
    ['two rows have the same', [{ id: 1 }, { id: 1 }], 'same id'],
  ])('are refused where %s', async (_name, rows, message) => {
    const { confirm, respond, query, advance, reads } = await openLiveQuery<{ id?: number; title?: string }>({
      key: 'id',
    });
    await confirm();
    await respond(rows);
    expect(query.getSnapshot()).toMatchObject({
      rows: [],
      isCurrent: false,
      error: { code: 'invalid-row', message: expect.stringContaining(message) as string },
    });
    await advance(20_000);
    expect(reads).toHaveLength(1);
  });

  it('of several columns narrow the query by each of them', async () => {
    interface Member {
      readonly team: number;
      readonly person: string;
      readonly role: string;
    }
    const { confirm, respond, change, reads, rows } = await openLiveQuery<Member>({
      key: ['team', 'person'],
    });
    await confirm();
    await respond([
      { team: 1, person: 'ada', role: 'owner' },
      { team: 2, person: 'ada', role: 'owner' },
    ]);
    await change(
      { record: { team: 1, person: 'ada' } },
      { record: { team: 2, person: 'bob' } },
      { type: 'DELETE', old_record: { team: 2, person: 'ada' } },
    );
    expect(reads.at(-1)?.narrowed).toEqual({ team: [1, 2], person: ['ada', 'bob'] });
    await respond([{ team: 1, person: 'ada', role: 'guest' }]);
    expect(rows()).toEqual([{ team: 1, person: 'ada', role: 'guest' }]);
  });
});

describe('a live query of a view', () => {
  it('follows the table that is named, and reads deleted rows from the view', async () => {
    const { confirm, respond, change, rows, reads, server } = await openQuery({
      plan: { path: 'notification_list', schema: 'app' },
      table: 'notifications',
    });
    await confirm();
    expect(server.lastJoin().payload).toMatchObject({
      config: { postgres_changes: [{ event: '*', schema: 'app', table: 'notifications' }] },
    });
    await respond([item('a')]);
    await change({ ...deleted('a'), schema: 'app' });
    expect([rows(), reads.at(-1)?.narrowed]).toEqual([[item('a')], { id: ['a'] }]);
  });
});

describe('the conditions of a live query', () => {
  const conditions = [
    { column: 'owner', operator: 'eq', operand: 'a,"b' },
    { column: 'kind', operator: 'in', operand: ['"x"', '"y"'] },
    { column: 'status', operator: 'eq', operand: 'unread' },
  ];
  const open = (immutableColumns: readonly string[], filters: readonly object[] = conditions) => {
    const scene = createScriptedScene();
    return {
      scene,
      query: () =>
        createLiveQuery<Item>({
          channel: scene.client.channel('user:ada'),
          platform: scene.tab,
          query: createQuery<Item>({ filters: filters as typeof conditions }, () => Promise.resolve([])),
          key: 'id',
          immutableColumns,
        }),
    };
  };

  it('are tested by the server on columns that never change', async () => {
    const { scene, query } = open(['owner', 'kind']);
    query().start();
    scene.server.open();
    await scene.world.settle();
    expect(scene.server.lastJoin().payload).toMatchObject({
      config: { postgres_changes: [{ filter: 'owner=eq."a,\\"b",kind=in.("x","y")' }] },
    });
  });

  it.each([
    ['a column without a condition', ['sender'], conditions],
    ['a negated condition', ['owner'], [{ ...conditions[0], not: true }]],
    ['an operator of the REST service alone', ['owner'], [{ ...conditions[0], operator: 'eq(any)' }]],
  ])('are refused for %s', (_name, columns, filters) => {
    expect(open(columns, filters).query).toThrow(expect.objectContaining({ code: 'invalid-options' }));
  });

  it('need the table whose changes concern the rows of a function', () => {
    const scene = createScriptedScene();
    expect(() =>
      createLiveQuery<Item>({
        channel: scene.client.channel('user:ada'),
        platform: scene.tab,
        query: createQuery<Item>({ path: 'rpc/list' }, () => Promise.resolve([])),
        key: 'id',
      }),
    ).toThrow(expect.objectContaining({ code: 'invalid-options' }));
  });
});

it.each([
  ['a function as the query', { query: () => Promise.resolve([]) }],
  ['no query', { query: undefined }],
  ['a function as the key', { key: ({ id }: Item) => id }],
])('a live query refuses %s, of a caller without types', (_name, wrong) => {
  const scene = createScriptedScene();
  const query = createQuery<Item>({}, () => Promise.resolve([]));
  const options = {
    channel: scene.client.channel('user:ada'),
    platform: scene.tab,
    query,
    key: 'id',
    ...wrong,
  };
  expect(() => createLiveQuery<Item>(options as never)).toThrow(
    expect.objectContaining({ code: 'invalid-options' }),
  );
});

describe('a live query whose channel fails', () => {
  it('has the error of the channel with the statement that publishes the table, and warns once', async () => {
    const warn = vi.spyOn(console, 'warn').mockReturnValue();
    const { server, query, world, respond, confirm, channel } = await openQuery();
    server.acceptJoin();
    server.system('error', 'Unable to subscribe to changes with given parameters.');
    await world.settle();
    await respond([]);
    const statement = 'alter publication supabase_realtime add table public.notifications;';
    const { error, status } = query.getSnapshot();
    expect([status, error]).toEqual([
      'failed',
      expect.objectContaining({
        name: 'RealtimeError',
        code: 'subscription-refused',
        message: expect.stringContaining(statement) as string,
      }),
    ]);
    expect(warn.mock.calls).toEqual([[expect.stringContaining(statement)]]);
    channel.join();
    await world.settle();
    await confirm();
    await respond([]);
    expect(query.getSnapshot()).toMatchObject({ status: 'current', error: null });
  });

  it('reads every 25 s, by one request each, and shows what it read', async () => {
    vi.spyOn(console, 'warn').mockReturnValue();
    const { server, world, respond, reads, rows, advance, query } = await openQuery();
    server.refuseJoin('Unauthorized: You do not have permissions to read from this Channel topic');
    await world.settle();
    await advance(24_000);
    expect(reads).toHaveLength(0);
    for (const id of ['a', 'b']) {
      await advance(1_000);
      await respond([item(id)]);
      expect([rows(), query.getSnapshot().lastRepair]).toEqual([[item(id)], null]);
      await advance(24_000);
    }
    expect([reads.length, query.getSnapshot()]).toMatchObject([2, { status: 'failed', error: {} }]);
  });
});

describe('a live query during an outage of the realtime service', () => {
  it('reads every 25 s in a page that is shown and online', async () => {
    const { confirm, respond, reads, rows, advance, server, tab, status } = await openQuery();
    await confirm();
    await respond([]);
    server.socket().fail();
    for (const id of ['a', 'b', 'c']) {
      await advance(25_000);
      await respond([item(id)]);
      expect([rows(), status()]).toEqual([[item(id)], 'joining']);
    }
    expect(reads).toHaveLength(4);
    tab.setVisible(false);
    await advance(60_000);
    expect(reads).toHaveLength(4);
    tab.setVisible(true);
    await advance(1_000);
    expect(reads).toHaveLength(5);
  });
});
