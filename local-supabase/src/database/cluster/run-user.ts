import { readFileSync } from 'node:fs';
import { StartError } from '../../platform/start-error.ts';

/** The numbers of a user and of its group. */
export interface RunUser {
  readonly uid: number;
  readonly gid: number;
}

const NAMES = ['postgres', 'nobody'];

/**
 * The user of PostgreSQL's processes, because PostgreSQL refuses to run as root. Undefined for the current user.
 *
 * @throws {StartError} for root on a machine without such a user.
 */
export function findRunUser(): RunUser | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const users = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'));
  for (const wanted of NAMES) {
    const [, , uid, gid] = users.find(([name]) => name === wanted) ?? [];
    if (uid !== undefined && gid !== undefined) return { uid: Number(uid), gid: Number(gid) };
  }
  throw new StartError(
    'PostgreSQL refuses to run as root: create a user "postgres", or start as another one',
  );
}
