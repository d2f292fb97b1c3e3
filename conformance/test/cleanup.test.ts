import { expect, it } from 'vitest';
import { removeRun } from '../src/schema/cleanup.ts';
import { createAuditRun } from '../src/target/run.ts';
import { target } from './sample-audits.ts';

it('users that audits deleted themselves are not reported as kept', async () => {
  const run = createAuditRun();
  const statuses: Readonly<Record<string, number>> = { here: 200, gone: 404, referred: 500 };
  for (const id of Object.keys(statuses)) run.userIds.add(id);
  const removal = await removeRun(
    {
      ...target,
      serviceKey: 'key',
      fetch: (url, { method }) =>
        Promise.resolve(
          method === 'DELETE'
            ? Response.json({}, { status: statuses[url.slice(url.lastIndexOf('/') + 1)] ?? 400 })
            : Response.json({ users: [] }),
        ),
    },
    run,
  );
  expect(removal).toEqual({ users: 1, keptUsers: 1, buckets: 0 });
});

it('an auth service alone has no broadcasts to remove from its database', async () => {
  const run = createAuditRun();
  run.userIds.add('here');
  const removal = await removeRun(
    {
      ...target,
      serviceKey: 'key',
      fetch: () => Promise.resolve(Response.json({ users: [] })),
      query: () => Promise.reject(new Error('relation "realtime.messages" does not exist')),
    },
    run,
  );
  expect(removal).toEqual({ users: 1, keptUsers: 0, buckets: 0 });
});

it('a project where the realtime service has never started has no broadcasts to remove', async () => {
  const run = createAuditRun();
  run.userIds.add('here');
  const statements: string[] = [];
  const removal = await removeRun(
    {
      ...target,
      serviceKey: 'key',
      realtimeUrl: 'ws://project.test/realtime/v1/websocket',
      fetch: () => Promise.resolve(Response.json({ users: [] })),
      query: (text) => {
        statements.push(text);
        return Promise.resolve([{ name: null }]);
      },
    },
    run,
  );
  expect([removal.users, statements]).toEqual([1, ["select to_regclass('realtime.messages')::text as name"]]);
});
