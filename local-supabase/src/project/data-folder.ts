import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { SavedKeys } from '../keys/keys.ts';
import type { ReceivedMail } from '../mail/mail.ts';
import { postgresVersions } from '../database/cluster/binaries.ts';
import { StartError } from '../platform/start-error.ts';

/** A server's data folder. One server at a time owns it. */
export interface DataFolder {
  readonly databaseDir: string;
  readonly storageDir: string;
  readonly keys: JsonFile<SavedKeys>;
  readonly vapidKeys: JsonFile<VapidKeys>;
  readonly mails: JsonFile<readonly ReceivedMail[]>;
  /** Releases the lock on the folder. */
  release(): void;
}

/** The key pair that signs push messages (RFC 8292), base64url. */
export interface VapidKeys {
  readonly publicKey: string;
  readonly privateKey: string;
}

export interface JsonFile<T> {
  load(): T | undefined;
  save(value: T): void;
}

/** @throws {StartError} if the folder is not writable or another server has locked it. */
export function openDataFolder(folder: string): DataFolder {
  const lock = join(folder, 'lock');
  try {
    makePrivateFolder(folder);
    acquire(lock, folder);
  } catch (problem) {
    if (problem instanceof StartError) throw problem;
    const reason = problem instanceof Error ? problem.message : String(problem);
    throw new StartError(`The data folder ${folder} cannot be written: ${reason}`, problem);
  }
  const release = () => rmSync(lock, { force: true });
  process.once('exit', release);
  return {
    databaseDir: join(folder, 'postgres'),
    storageDir: join(folder, 'storage'),
    keys: createJsonFile(join(folder, 'keys.json')),
    vapidKeys: createJsonFile(join(folder, 'vapid-keys.json')),
    mails: createJsonFile(join(folder, 'mails.json')),
    release() {
      process.off('exit', release);
      release();
    },
  };
}

/** The number of the running process that has locked the folder, if any. */
export function lockerOf(folder: string): string | undefined {
  const lock = join(folder, 'lock');
  const owner = existsSync(lock) ? readFileSync(lock, 'utf8') : '';
  return isRunning(owner) ? owner.split(' ')[0] : undefined;
}

/** Removes the data of a folder that no server uses. Keeps the keys, so that pages keep working. */
export function removeData(dataDir: string): void {
  const clusters = postgresVersions.map((version) => `postgres-${version}`);
  for (const name of ['postgres', ...clusters, 'storage', 'mails.json'])
    rmSync(join(dataDir, name), { recursive: true, force: true });
}

/** Creates a folder with owner-only permissions that Git ignores; keeps an existing one. */
export function makePrivateFolder(folder: string): void {
  const isNew = !existsSync(folder);
  makeFolder(folder);
  if (isNew) writeFileSync(join(folder, '.gitignore'), '*\n');
}

/**
 * Creates a folder and its parents with owner-only permissions, because they contain keys, mails and password hashes.
 * Node's recursive `mkdir` never returns if a file system rejects new folders.
 */
function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (problem) {
    const { code } = problem as NodeJS.ErrnoException;
    if (code === 'EEXIST' && statSync(folder).isDirectory()) return;
    if (code !== 'ENOENT' || existsSync(dirname(folder))) throw problem;
    makeFolder(dirname(folder));
    mkdirSync(folder, { mode: 0o700 });
  }
}

function acquire(lock: string, folder: string): void {
  const own = [process.pid, startOfProcessMs(), startMarkOf(process.pid)].join(' ').trimEnd();
  try {
    writeFileSync(lock, own, { flag: 'wx' });
  } catch (problem) {
    if ((problem as NodeJS.ErrnoException).code !== 'EEXIST') throw problem;
    const owner = readFileSync(lock, 'utf8');
    if (isRunning(owner))
      throw new StartError(
        `The data folder ${folder} is in use by the process ${owner.split(' ')[0]}`,
        problem,
      );
    rmSync(lock, { force: true });
    writeFileSync(lock, own, { flag: 'wx' });
  }
}

const startOfProcessMs = (): number => Math.round(Date.now() - process.uptime() * 1000);

/** The boot id and the start tick of a process, which distinguish it from others with its number; undefined except on Linux. */
function startMarkOf(pid: number): string | undefined {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The program's name, in parentheses, may contain spaces; the tick is the 20th field after it.
    return `${boot}/${stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]}`;
  } catch {
    return undefined;
  }
}

/** @param owner the process's number, start time and mark, because each container assigns the same numbers again. */
function isRunning(owner: string): boolean {
  const [pidText, startText, mark] = owner.split(' ');
  const pid = Number(pidText);
  if (!Number.isInteger(pid) || pid <= 0) return false;
  const running = startMarkOf(pid);
  if (mark !== undefined && running !== undefined) return running === mark;
  if (pid === process.pid) return Math.abs(Number(startText) - startOfProcessMs()) < 1000;
  try {
    process.kill(pid, 0);
    return true;
  } catch (problem) {
    return (problem as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Stores JSON in a file: writes are atomic, with owner-only permissions. */
function createJsonFile<T>(file: string): JsonFile<T> {
  return {
    load() {
      let text: string;
      try {
        text = readFileSync(file, 'utf8');
      } catch {
        return undefined;
      }
      try {
        return JSON.parse(text) as T;
      } catch (problem) {
        throw new StartError(
          `${file} is corrupt. Nothing was changed. To continue without its contents, rename it and start again`,
          problem,
        );
      }
    },
    save(value) {
      const temporary = `${file}.${process.pid}.tmp`;
      writeFileSync(temporary, JSON.stringify(value), { mode: 0o600 });
      renameSync(temporary, file);
    },
  };
}
