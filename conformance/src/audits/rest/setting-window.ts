import { setTimeout as delay } from 'node:timers/promises';
import type { AuditContext } from '../../audit/audit-context.ts';
import { scaleDeadline } from '../../target/deadlines.ts';
import { shareInRun } from '../../target/run.ts';
import { NotRunError } from '../../target/target.ts';
import { at } from '../../target/wire.ts';
import { openLibrary, type Library } from './library.ts';

const reloadMs = 10_000;
const pauseMs = 100;

/** A setting of PostgREST that only changes responses to requests which ask for its subject. */
export interface RestSetting {
  /** The name without the prefix `pgrst.`. */
  readonly name: string;
  readonly value: string;
  /** Whether the service follows the setting. */
  readonly isApplied: (send: Library) => Promise<boolean>;
}

export const aggregates: RestSetting = {
  name: 'db_aggregates_enabled',
  value: 'true',
  isApplied: async (send) => (await send('GET', '/books?select=count()')).status === 200,
};

/** Runs tasks one after another: a setting applies to the whole service. */
const queueOf = shareInRun(async (_context: AuditContext) => {
  let last: Promise<unknown> = Promise.resolve();
  return <T>(task: () => Promise<T>): Promise<T> => {
    const result = last.then(task, task);
    last = result.catch(() => undefined);
    return result;
  };
});

/** Runs a task while no other audit of the run changes a setting. */
export async function withSettingsUnchanged<T>(context: AuditContext, task: () => Promise<T>): Promise<T> {
  const enqueue = await queueOf(context);
  return enqueue(task);
}

/**
 * Runs a task with a changed setting of the role `authenticator`, and restores the setting after it.
 *
 * @throws NotRunError if the server does not follow the setting.
 */
export async function withSetting<T>(
  context: AuditContext,
  setting: RestSetting,
  task: (send: Library) => Promise<T>,
): Promise<T> {
  const send = await openLibrary(context);
  return withSettingsUnchanged(context, async () => {
    if (await setting.isApplied(send)) return task(send);
    const name = `pgrst.${setting.name}`;
    const before = await readSetting(context, name);
    try {
      await change(context, `set ${name} = '${setting.value}'`);
      if (!(await waitFor(send, setting, true))) throw new NotRunError(`${name} cannot be changed`);
      return await task(send);
    } finally {
      await change(context, before === undefined ? `reset ${name}` : `set ${name} = '${before}'`);
      await waitFor(send, setting, false);
    }
  });
}

async function readSetting({ query }: AuditContext, name: string): Promise<string | undefined> {
  const rows = await query(
    `select split_part(entry, '=', 2) as value
     from pg_db_role_setting s join pg_roles r on r.oid = s.setrole and s.setdatabase = 0, unnest(s.setconfig) entry
     where r.rolname = 'authenticator' and entry like '${name}=%'`,
  );
  const found = at(rows, 0, 'value');
  if (typeof found !== 'string') return undefined;
  if (!/^[\w-]+$/.test(found)) throw new NotRunError(`${name} has a value that could not be restored`);
  return found;
}

async function change(context: AuditContext, setting: string): Promise<void> {
  try {
    await context.query(`alter role authenticator ${setting}`);
  } catch (cause) {
    throw new NotRunError('the settings of the role authenticator cannot be changed', { cause });
  }
  await context.query(`select pg_notify('pgrst', 'reload config')`);
}

async function waitFor(send: Library, setting: RestSetting, wanted: boolean): Promise<boolean> {
  for (const startedMs = performance.now(); ;) {
    if ((await setting.isApplied(send)) === wanted) return true;
    if (performance.now() - startedMs > scaleDeadline(reloadMs)) return false;
    await delay(pauseMs);
  }
}
