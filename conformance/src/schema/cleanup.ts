import { createAuditContext } from '../audit/audit-context.ts';
import { createAuditRun, isOfRun, namePrefix, type AuditRun } from '../target/run.ts';
import { openStorage } from '../audit/bucket.ts';
import { REMOVE_LIBRARY } from './library-sql.ts';
import type { ConformanceTarget } from '../target/target.ts';
import { assertStatus, at } from '../target/wire.ts';

/** The numbers of removed users and buckets. */
export interface Removal {
  readonly users: number;
  /** Users that the server did not remove, for example because rows of the project refer to them. */
  readonly keptUsers: number;
  readonly buckets: number;
}

const pageSize = 1000;

/**
 * Removes the test data of a run: its buckets, its users with their rows, and the tables that audits of REST created.
 *
 * @param run the run, or the id of one that ended without cleanup.
 * @throws NotRunError without a service key.
 */
export async function removeRun(target: ConformanceTarget, run: AuditRun | string): Promise<Removal> {
  const { id, userIds } = typeof run === 'string' ? createAuditRun(run) : run;
  const { admin } = createAuditContext(target);
  const found = new Set([...userIds, ...(await findUsers(admin, id))]);
  let users = 0;
  let keptUsers = 0;
  for (const userId of found) {
    const { status } = await admin('DELETE', `/users/${userId}`);
    if (status === 200) users += 1;
    // 404: an audit has deleted the user itself.
    else if (status !== 404) keptUsers += 1;
  }
  await removeMessages(target, [...found]);
  await removeLibrary(target);
  return { users, keptUsers, buckets: await removeBuckets(target, namePrefix(id)) };
}

/** Removes the broadcasts that the database stores for users' topics; without access to it they stay for three days. */
async function removeMessages(
  { realtimeUrl, query }: ConformanceTarget,
  userIds: readonly string[],
): Promise<void> {
  const topics = userIds.map((id) => `user:${id}`);
  if (realtimeUrl === null || query === undefined || topics.length === 0) return;
  // Realtime makes the table when it first starts.
  const [found] = (await query(
    "select to_regclass('realtime.messages')::text as name",
  )) as readonly unknown[];
  if (typeof at(found, 'name') === 'string')
    await query('delete from realtime.messages where topic = any($1::text[])', [topics]);
}

/** Removes the tables and functions that audits of REST create with access to the database. */
export async function removeLibrary({ restUrl, query }: ConformanceTarget): Promise<void> {
  if (restUrl !== null) await query?.(REMOVE_LIBRARY);
}

type Admin = ReturnType<typeof createAuditContext>['admin'];

async function findUsers(admin: Admin, run: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (let page = 1; ; page += 1) {
    const response = await admin('GET', `/users?page=${page}&per_page=${pageSize}`);
    assertStatus(response, 200);
    const users = listAt(response.json, 'users');
    found.push(...users.filter((user) => isOfRun(user, run)).map((user) => String(at(user, 'id'))));
    if (users.length < pageSize) return found;
  }
}

async function removeBuckets(target: ConformanceTarget, prefix: string): Promise<number> {
  if (target.storageUrl === null) return 0;
  const storage = openStorage(target);
  const listed = listAt((await storage.send('GET', '/bucket')).json);
  const names = listed.map((bucket) => String(at(bucket, 'id'))).filter((name) => name.startsWith(prefix));
  for (const name of names) {
    await storage.send('POST', `/bucket/${name}/empty`);
    await storage.send('DELETE', `/bucket/${name}`);
  }
  return names.length;
}

function listAt(json: unknown, ...path: string[]): readonly unknown[] {
  const list = at(json, ...path);
  return Array.isArray(list) ? list : [];
}
