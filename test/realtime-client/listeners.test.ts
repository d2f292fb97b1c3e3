import { describe, expect, it } from 'vitest';
import {
  createPostgresChanges,
  createRowParser,
} from '../../src/realtime-client/changes/postgres-changes.ts';
import { type Change, type RowRecord } from '../../src/realtime-client/index.ts';
import { binding, createScriptedScene } from '../support/wire/scripted-realtime.ts';

const insert = (id: string, extra: RowRecord = {}) => ({ type: 'INSERT', record: { id, ...extra } });

/** The changes that `onChanges` delivers on a live channel, in order. */
async function listenToBatches(scene: ReturnType<typeof createScriptedScene>) {
  const { channel } = await scene.openLiveChannel();
  const changes: Change<RowRecord>[] = [];
  createPostgresChanges(channel).onChanges<RowRecord>(binding, (batch) => changes.push(...batch));
  return changes;
}

describe('listeners', () => {
  it('are bound by content when the server reorders the bindings and adds fields', async () => {
    const scene = createScriptedScene();
    const channel = scene.client.channel('user:ada');
    const seen: string[] = [];
    createPostgresChanges(channel).on(binding, () => seen.push('notifications'));
    createPostgresChanges(channel).on({ table: 'notification_preferences' }, () => seen.push('preferences'));
    channel.join();
    scene.server.open();
    await scene.world.settle();
    const { ref } = scene.server.lastJoin();
    scene.server.reply(ref, {
      status: 'ok',
      response: {
        postgres_changes: [
          { id: 2, table: 'notification_preferences', schema: 'public', event: '*', added: 1 },
          { id: 1, filter: binding.filter, table: 'notifications', event: '*', schema: 'public', select: [] },
        ],
      },
    });
    scene.server.confirm();
    scene.server.change(insert('a'), [1]);
    await scene.world.clock.advance(16);
    expect(seen).toEqual(['notifications']);
  });

  it('listeners with selected columns are separate from those with all columns', async () => {
    const scene = createScriptedScene();
    const channel = scene.client.channel('user:ada');
    const seen: string[] = [];
    createPostgresChanges(channel).on({ ...binding, select: ['status'] }, () => seen.push('status'));
    createPostgresChanges(channel).on(binding, () => seen.push('all'));
    channel.join();
    scene.server.open();
    await scene.world.settle();
    scene.server.acceptJoin();
    scene.server.confirm();
    scene.server.change(insert('a'), [scene.server.bindingId + 1]);
    await scene.world.clock.advance(16);
    expect(seen).toEqual(['all']);
  });

  it('receive nothing for an unknown id', async () => {
    const scene = createScriptedScene();
    const { changes } = await scene.openLiveChannel();
    scene.server.change(insert('a'), [999]);
    await scene.world.clock.advance(16);
    expect(changes).toEqual([]);
  });

  it('receive a change once when it matches several bindings', async () => {
    const scene = createScriptedScene();
    const channel = scene.client.channel('user:ada');
    const seen: string[] = [];
    createPostgresChanges(channel).on(binding, () => seen.push('all'));
    createPostgresChanges(channel).on({ ...binding, event: 'INSERT' }, () => seen.push('inserts'));
    createPostgresChanges(channel).on(binding, () => seen.push('all too'));
    channel.join();
    scene.server.open();
    await scene.world.settle();
    scene.server.acceptJoin();
    scene.server.confirm();
    scene.server.change(insert('a'), [scene.server.bindingId, scene.server.bindingId + 1]);
    await scene.world.clock.advance(16);
    expect(seen).toEqual(['all', 'inserts', 'all too']);
  });

  it('are called in an animation frame, or by a timer without frames', async () => {
    const frames: (() => void)[] = [];
    const scene = createScriptedScene({ schedule: (flush) => frames.push(flush) });
    const { changes } = await scene.openLiveChannel();
    scene.server.change(insert('a'));
    await scene.world.clock.advance(100);
    expect(changes).toHaveLength(0);
    frames.shift()?.();
    expect(changes).toHaveLength(1);
    scene.server.change(insert('b'));
    await scene.world.clock.advance(250);
    expect(changes).toHaveLength(2);
  });

  it('call requestAnimationFrame without a receiver', async () => {
    const receivers: unknown[] = [];
    function schedule(this: unknown, flush: () => void) {
      receivers.push(this);
      flush();
    }
    const scene = createScriptedScene({ schedule });
    const { changes } = await scene.openLiveChannel();
    scene.server.change(insert('a'));
    expect([changes.length, receivers]).toEqual([1, [undefined]]);
  });

  it('are called by a timer when schedule throws, which is reported', async () => {
    const problem = new TypeError('Illegal invocation');
    const scene = createScriptedScene({
      schedule: () => {
        throw problem;
      },
    });
    const { changes } = await scene.openLiveChannel();
    scene.server.change(insert('a'));
    await scene.world.clock.advance(250);
    expect([changes.length, scene.tab.reported]).toEqual([1, [problem]]);
  });

  it('listeners of several types receive the changes of a row in order', async () => {
    const scene = createScriptedScene();
    const channel = scene.client.channel('user:ada');
    const seen: string[] = [];
    createPostgresChanges(channel).on({ ...binding, event: ['INSERT', 'UPDATE', 'DELETE'] }, ({ type }) =>
      seen.push(type),
    );
    channel.join();
    scene.server.open();
    await scene.world.settle();
    scene.server.acceptJoin();
    scene.server.confirm();
    expect(scene.server.lastJoin().payload['config']).toMatchObject({
      postgres_changes: [{ event: 'INSERT' }, { event: 'UPDATE' }, { event: 'DELETE' }],
    });
    const [inserted, , deleted] = [0, 1, 2].map((offset) => scene.server.bindingId + offset);
    scene.server.change({ type: 'DELETE', old_record: { id: 'a' } }, [deleted ?? 0]);
    scene.server.change(insert('a'), [inserted ?? 0]);
    await scene.world.clock.advance(16);
    expect(seen).toEqual(['DELETE', 'INSERT']);
  });

  it('are called after another listener throws, whose error is reported', async () => {
    const scene = createScriptedScene();
    const { channel, changes } = await scene.openLiveChannel();
    const problem = new Error('bad listener');
    createPostgresChanges(channel).on(binding, () => {
      throw problem;
    });
    const late: unknown[] = [];
    createPostgresChanges(channel).on(binding, (change) => late.push(change));
    scene.server.change(insert('a'));
    await scene.world.clock.advance(16);
    expect([changes.length, late.length, scene.tab.reported]).toEqual([1, 1, [problem]]);
  });

  it('are called for the next change after throwing, and never after unsubscribing', async () => {
    const scene = createScriptedScene();
    const { channel } = await scene.openLiveChannel();
    const [thrown, once]: [string[], string[]] = [[], []];
    createPostgresChanges(channel).on<'notifications'>(binding, (change) => {
      thrown.push(change.type);
      throw new Error('bad listener');
    });
    const remove = createPostgresChanges(channel).on<'notifications'>(binding, (change) => {
      once.push(change.type);
      remove();
      remove();
    });
    for (const id of ['a', 'b', 'c']) scene.server.change(insert(id));
    await scene.world.clock.advance(16);
    expect([thrown.length, once.length, scene.tab.reported.length]).toEqual([3, 1, 3]);
  });

  it('receive a resent change once', async () => {
    const scene = createScriptedScene();
    const { changes, losses } = await scene.openLiveChannel();
    scene.server.change(insert('a'));
    await scene.world.clock.advance(16);
    scene.server.change(insert('a'));
    await scene.world.clock.advance(16);
    expect([changes.length, losses]).toEqual([1, []]);
  });

  it('are notified of a gap when an earlier change is repeated', async () => {
    const scene = createScriptedScene();
    const { changes, losses } = await scene.openLiveChannel();
    // As in one transaction: the value changes and returns, with one commit timestamp.
    for (const status of ['read', 'unread', 'read'])
      scene.server.change({ type: 'UPDATE', record: { id: 'a', status } });
    await scene.world.clock.advance(16);
    expect(changes).toMatchObject([{ record: { status: 'read' } }, { record: { status: 'unread' } }]);
    expect(losses).toMatchObject([{ continuity: 'lost', reason: 'repeated' }]);
  });

  it('receive each change, also several of one row within a frame', async () => {
    const scene = createScriptedScene();
    const { changes } = await scene.openLiveChannel();
    scene.server.change(insert('a', { n: 0 }));
    scene.server.change({ type: 'UPDATE', record: { id: 'a', n: 1 }, old_record: { id: 'a' } });
    scene.server.change({ type: 'DELETE', old_record: { id: 'a' } });
    expect(changes).toEqual([]);
    await scene.world.clock.advance(16);
    expect(changes).toMatchObject([
      { type: 'INSERT', record: { id: 'a', n: 0 } },
      { type: 'UPDATE', record: { id: 'a', n: 1 } },
      { type: 'DELETE', oldRecord: { id: 'a' } },
    ]);
  });

  it('of batches receive the changes of a row within a frame merged', async () => {
    const scene = createScriptedScene();
    const changes = await listenToBatches(scene);
    scene.server.change(insert('a', { n: 0 }));
    scene.server.change(insert('b'));
    for (const n of [1, 2, 3]) scene.server.change({ type: 'UPDATE', record: { id: 'a', n } });
    scene.server.change({ type: 'UPDATE', record: { id: 'c', n: 1 }, old_record: { id: 'c', n: 0 } });
    scene.server.change({ type: 'UPDATE', record: { id: 'c', n: 2 }, old_record: { id: 'c', n: 1 } });
    scene.server.change({ type: 'DELETE', old_record: { id: 'b' } });
    await scene.world.clock.advance(16);
    expect(changes.map(({ schema: _s, table: _t, commitTimestamp: _c, ...rest }) => rest)).toEqual([
      { type: 'INSERT', record: { id: 'a', n: 3 } },
      { type: 'UPDATE', record: { id: 'c', n: 2 }, oldRecord: { id: 'c', n: 0 } },
      { type: 'DELETE', oldRecord: { id: 'b' } },
    ]);
  });

  it('of batches receive a change of the primary key unmerged', async () => {
    const scene = createScriptedScene();
    const changes = await listenToBatches(scene);
    scene.server.change(insert('a', { n: 0 }));
    scene.server.change({ type: 'UPDATE', record: { id: 'b', n: 0 }, old_record: { id: 'a' } });
    for (const n of [1, 2])
      scene.server.change({ type: 'UPDATE', record: { id: 'b', n }, old_record: { id: 'b' } });
    await scene.world.clock.advance(16);
    expect(changes).toMatchObject([
      { type: 'INSERT', record: { id: 'a' } },
      { type: 'UPDATE', record: { id: 'b', n: 0 }, oldRecord: { id: 'a' } },
      { type: 'UPDATE', record: { id: 'b', n: 2 }, oldRecord: { id: 'b' } },
    ]);
  });

  it('receive earlier changes before the announcement of a gap', async () => {
    const scene = createScriptedScene();
    const { channel } = await scene.openLiveChannel();
    const notified: string[] = [];
    channel.onContinuity(() => notified.push('loss'));
    createPostgresChanges(channel).on(binding, () => notified.push('change'));
    scene.server.change(insert('a'));
    scene.server.confirm();
    await scene.world.clock.advance(16);
    expect(notified).toEqual(['change', 'loss']);
  });

  it('are notified of a gap when their queue overflows', async () => {
    const scene = createScriptedScene({ settings: { deliveryBuffer: 2 } });
    const { changes, losses } = await scene.openLiveChannel();
    for (const id of ['a', 'b', 'c', 'd']) scene.server.change(insert(id));
    await scene.world.clock.advance(16);
    expect(changes).toHaveLength(2);
    expect(losses).toMatchObject([{ continuity: 'lost', reason: 'overflow' }]);
  });

  it('receive integers beyond the safe range as strings, by the type of their column', async () => {
    const scene = createScriptedScene();
    const { changes } = await scene.openLiveChannel();
    const digits = `1${'0'.repeat(300)}`;
    const record = `{"id":9223372036854775807,"note":"9223372036854775807","n":7,"huge":${digits},"list":[9223372036854775807],"sum":12345678901234567890,"sums":[12345678901234567890],"data":{"n":12345678901234567890}}`;
    const types = {
      id: 'int8',
      note: 'text',
      n: 'int8',
      huge: 'float8',
      list: '_int8',
      sum: 'numeric',
      sums: '_numeric',
      data: 'jsonb',
    };
    const columns = JSON.stringify(Object.entries(types).map(([name, type]) => ({ name, type })));
    scene.server
      .socket()
      .receive(
        `[null,null,"realtime:user:ada","postgres_changes",{"ids":[${scene.server.bindingId}],"data":{"type":"INSERT","schema":"public","table":"t","commit_timestamp":"x","errors":null,"columns":${columns},"record":${record}}}]`,
      );
    await scene.world.clock.advance(16);
    expect(changes).toMatchObject([
      {
        record: {
          id: '9223372036854775807',
          note: '9223372036854775807',
          n: 7,
          huge: 1e300,
          list: ['9223372036854775807'],
          sum: '12345678901234567890',
          sums: ['12345678901234567890'],
          data: { n: 12345678901234567000 },
        },
      },
    ]);
  });

  it('receive valid rows; invalid ones are reported without values and announced as a gap', async () => {
    const scene = createScriptedScene();
    const { channel } = await scene.openLiveChannel();
    const rows: unknown[] = [];
    channel.onContinuity(({ reason }) => rows.push(reason));
    const rowSchema = {
      '~standard': {
        version: 1,
        vendor: 'test',
        validate: (value: unknown) =>
          (value as { id: string }).id === 'secret'
            ? { issues: [{ message: 'id is wrong' }] }
            : { value: value as { id: string } },
      },
    } as const;
    createPostgresChanges(channel).on({ ...binding, parseRow: createRowParser(rowSchema) }, (change) =>
      rows.push(change.type),
    );
    scene.server.change(insert('secret'));
    scene.server.change(insert('a'));
    await scene.world.clock.advance(16);
    expect(rows).toEqual(['INSERT', 'invalid']);
    expect(scene.tab.reported).toMatchObject([{ code: 'invalid-row', message: 'id is wrong' }]);
  });
});

describe('users of a channel', () => {
  it('cost one join when the channel is left and joined again at once', async () => {
    const scene = createScriptedScene();
    const { channel, leave } = await scene.openLiveChannel();
    leave();
    leave();
    const leaveAgain = channel.join();
    await scene.world.clock.advance(5_000);
    expect(scene.server.sentEvents()).toEqual(['phx_join']);
    leaveAgain();
    await scene.world.clock.advance(1_000);
    expect(scene.server.sentEvents()).toEqual(['phx_join', 'phx_leave']);
  });

  it('can leave it inside its status listener, with one leave', async () => {
    const scene = createScriptedScene();
    const { channel } = await scene.openLiveChannel();
    channel.subscribe(() => channel.leave());
    channel.leave();
    channel.leave();
    await scene.world.clock.advance(5_000);
    expect(scene.server.sentEvents()).toEqual(['phx_join', 'phx_leave']);
    expect(channel.getSnapshot().status).toBe('closed');
  });

  it('can join it again after it was left', async () => {
    const scene = createScriptedScene();
    const { channel } = await scene.openLiveChannel();
    channel.leave();
    channel.join();
    await scene.world.settle();
    expect(scene.server.sentEvents()).toEqual(['phx_join', 'phx_leave', 'phx_join']);
    scene.server.acceptJoin();
    scene.server.confirm();
    expect(channel.getSnapshot().status).toBe('live');
  });

  it('share one channel per name', () => {
    const { client } = createScriptedScene();
    expect(client.channel('user:ada')).toBe(client.channel('user:ada'));
  });

  it('are refused a filter without a table before anything is sent', () => {
    const { client, tab } = createScriptedScene();
    expect(() => createPostgresChanges(client.channel('x')).on({ filter: 'id=eq.1' }, () => {})).toThrow(
      'A filter needs a table',
    );
    expect(tab.sockets).toHaveLength(0);
  });
});

describe('pushes', () => {
  it('wait for the channel and resolve with the response', async () => {
    const scene = createScriptedScene();
    const channel = scene.client.channel('user:ada');
    const pushed = channel.push('presence', { event: 'track' });
    channel.join();
    scene.server.open();
    await scene.world.settle();
    scene.server.acceptJoin();
    const { ref, event } = scene.server.frames().at(-1) ?? { ref: null, event: '' };
    expect(event).toBe('presence');
    scene.server.reply(ref, { status: 'ok', response: { done: true } });
    await expect(pushed).resolves.toEqual({ done: true });
  });

  it('reject the oldest beyond 100', async () => {
    const { client } = createScriptedScene();
    const channel = client.channel('user:ada');
    const pushes = Array.from({ length: 101 }, () => channel.push('presence', {}));
    const outcomes = Promise.allSettled(pushes);
    channel.leave();
    const reasons = (await outcomes).map((outcome) =>
      outcome.status === 'rejected' ? (outcome.reason as { code: string }).code : 'sent',
    );
    expect(reasons).toEqual(['push-overflow', ...Array.from({ length: 100 }, () => 'closed')]);
  });

  it('reject when their payload is not serializable', async () => {
    const scene = createScriptedScene();
    const { channel, changes } = await scene.openLiveChannel();
    await expect(channel.push('a', { big: 1n })).rejects.toMatchObject({ code: 'push-refused' });
    scene.server.change(insert('a'));
    await scene.world.clock.advance(16);
    expect(changes).toHaveLength(1);
  });

  it('reject when the server refuses them or does not reply', async () => {
    const scene = createScriptedScene();
    const { channel } = await scene.openLiveChannel();
    const outcomes = Promise.allSettled([channel.push('a', {}), channel.push('b', {})]);
    scene.server.reply(scene.server.frames().at(-2)?.ref ?? null, { status: 'error', response: {} });
    await scene.world.clock.advance(10_000);
    expect(await outcomes).toMatchObject([
      { reason: { code: 'push-refused' } },
      { reason: { code: 'push-timeout' } },
    ]);
  });
});
