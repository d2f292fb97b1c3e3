import { setTimeout as delay } from 'node:timers/promises';
import type { AuditContext } from '../../audit/audit-context.ts';
import { scaleDeadline } from '../../target/deadlines.ts';
import { shareInRun } from '../../target/run.ts';
import { NotRunError } from '../../target/target.ts';
import { at } from '../../target/wire.ts';
import { openLibrary, type Library } from './library.ts';

const reloadMs = 10_000;
const pauseMs = 100;
const SETTING = 'pgrst.db_aggregates_enabled';

/** Runs tasks one after another: the switch of aggregates is a setting of the whole service. */
const queueOf = shareInRun(async (_context: AuditContext) => {
  let last: Promise<unknown> = Promise.resolve();
  return <T>(task: () => Promise<T>): Promise<T> => {
    const result = last.then(task, task);
    last = result.catch(() => undefined);
    return result;
  };
});

/** Runs a task while no other audit of the run switches aggregates on. */
export async function withAggregatesUnchanged<T>(context: AuditContext, task: () => Promise<T>): Promise<T> {
  const enqueue = await queueOf(context);
  return enqueue(task);
}

/**
 * Runs a task with aggregates switched on, and restores the setting of the role `authenticator` after it.
 *
 * @throws NotRunError if the server does not follow the setting.
 */
export async function withAggregates<T>(
  context: AuditContext,
  task: (send: Library) => Promise<T>,
): Promise<T> {
  const send = await openLibrary(context);
  return withAggregatesUnchanged(context, async () => {
    if (await areAllowed(send)) return task(send);
    const before = await readSetting(context);
    try {
      await change(context, `set ${SETTING} = 'true'`);
      if (!(await waitFor(send, true))) throw new NotRunError('aggregates cannot be switched on');
      return await task(send);
    } finally {
      await change(context, before === undefined ? `reset ${SETTING}` : `set ${SETTING} = '${before}'`);
      await waitFor(send, false);
    }
  });
}

async function areAllowed(send: Library): Promise<boolean> {
  return (await send('GET', '/books?select=count()')).status === 200;
}

async function readSetting({ query }: AuditContext): Promise<string | undefined> {
  const rows = await query(
    `select split_part(entry, '=', 2) as value
     from pg_db_role_setting s join pg_roles r on r.oid = s.setrole and s.setdatabase = 0, unnest(s.setconfig) entry
     where r.rolname = 'authenticator' and entry like '${SETTING}=%'`,
  );
  const found = at(rows, 0, 'value');
  return typeof found === 'string' && /^\w+$/.test(found) ? found : undefined;
}

async function change(context: AuditContext, setting: string): Promise<void> {
  try {
    await context.query(`alter role authenticator ${setting}`);
  } catch (cause) {
    throw new NotRunError('the settings of the role authenticator cannot be changed', { cause });
  }
  await context.query(`select pg_notify('pgrst', 'reload config')`);
}

async function waitFor(send: Library, wanted: boolean): Promise<boolean> {
  for (const startedMs = performance.now(); ;) {
    if ((await areAllowed(send)) === wanted) return true;
    if (performance.now() - startedMs > scaleDeadline(reloadMs)) return false;
    await delay(pauseMs);
  }
}
