import { randomBytes } from 'node:crypto';
import { at } from './wire.ts';

/** One run of audits. Its test data contains its id, so that it can be removed. */
export interface AuditRun {
  /** Eight hexadecimal digits. */
  readonly id: string;
  /** The ids of users that were created or signed in. */
  readonly userIds: Set<string>;
  /** Returns an unused name for a bucket. */
  newName(): string;
  /** Returns an unused email address. */
  newEmail(): string;
  /** Returns an unused phone number: 1555 and eight digits. */
  newPhone(): string;
}

export function createAuditRun(id: string = randomBytes(4).toString('hex')): AuditRun {
  const newName = () => `${namePrefix(id)}${randomBytes(6).toString('hex')}`;
  let phones = randomBytes(2).readUInt16BE();
  return {
    id,
    userIds: new Set(),
    newName,
    newEmail: () => `${newName()}@example.com`,
    newPhone() {
      phones = (phones + 1) % 10_000;
      return `${phonePrefix(id)}${digits(phones)}`;
    },
  };
}

const digits = (value: number): string => String(value).padStart(4, '0');

/** The prefix of a run's names and email addresses. */
export const namePrefix = (id: string): string => `audit-${id}-`;

const phonePrefix = (id: string): string => `1555${digits(Number.parseInt(id, 16) % 10_000)}`;

/** User metadata that identifies the run of an anonymous user, who has no address. */
export const metadataOf = ({ newName }: AuditRun): { readonly audit: string } => ({ audit: newName() });

/** Whether audits created a user, given as in admin responses. */
export function isOfAudits(user: unknown): boolean {
  return (
    /^audit-[\da-f]{8}-[\da-f]+(?:@example\.com)?$/.test(nameOf(user)) ||
    /^\+?1555\d{8}$/.test(String(at(user, 'phone')))
  );
}

/** Whether the run with this id created a user; a phone number only identifies one of 10,000 runs. */
export function isOfRun(user: unknown, id: string): boolean {
  return nameOf(user).startsWith(namePrefix(id)) || String(at(user, 'phone')).startsWith(phonePrefix(id));
}

function nameOf(user: unknown): string {
  const name = at(user, 'email') || at(user, 'user_metadata', 'audit');
  return typeof name === 'string' ? name : '';
}

/** Creates a value that the audits of a run share. After a failure, the next audit retries. */
export function shareInRun<Context extends { readonly run: AuditRun }, T>(
  create: (context: Context) => Promise<T>,
): (context: Context) => Promise<T> {
  const values = new WeakMap<AuditRun, Promise<T>>();
  return (context) => {
    const known = values.get(context.run);
    if (known) return known;
    const created = create(context);
    values.set(context.run, created);
    created.catch(() => values.delete(context.run));
    return created;
  };
}
