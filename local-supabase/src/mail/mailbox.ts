import { receiveMail } from './mail.ts';
import type { Mailer, ReceivedMail } from './mail.ts';

export interface MailFilter {
  /** The recipient's address, compared without regard to case. */
  readonly to?: string;
  readonly subject?: string | RegExp;
}

/** Stores the project's mails. */
export interface Mailbox extends Mailer {
  /** Newest first. */
  messages(): readonly ReceivedMail[];
  find(id: string): ReceivedMail | undefined;
  /**
   * Resolves with the oldest unread mail that matches, once one has arrived, and marks it read, so that the next call
   * returns the next mail.
   *
   * @param timeoutMs real milliseconds; default 5000.
   * @throws {Error} that lists the stored mails, after `timeoutMs`.
   */
  waitFor(filter?: MailFilter, timeoutMs?: number): Promise<ReceivedMail>;
  setRead(ids: readonly string[], isRead: boolean): void;
  /** Deletes the mails with these ids; without ids, deletes all mails. */
  clear(ids?: readonly string[]): void;
  /** Calls `listener` after every change. */
  subscribe(listener: () => void): () => void;
}

export interface MailboxOptions {
  readonly now?: () => number;
  readonly initial?: readonly ReceivedMail[];
}

/** Mailpit's limit; the oldest mails above it are evicted. */
const MAX_MAILS = 500;

export function createMailbox({ now = Date.now, initial = [] }: MailboxOptions = {}): Mailbox {
  // Earlier versions saved mails without headers.
  let mails: readonly ReceivedMail[] = initial.map((mail) => ({ ...mail, headers: mail.headers ?? {} }));
  let counter = 0;
  const listeners = new Set<() => void>();
  const change = (next: readonly ReceivedMail[]) => {
    mails = next;
    for (const listener of listeners) listener();
  };
  const subscribe = (listener: () => void) => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  };
  const setRead = (ids: readonly string[], isRead: boolean) =>
    change(mails.map((mail) => (ids.includes(mail.id) ? { ...mail, isRead } : mail)));
  const nextUnread = (filter: MailFilter) => mails.findLast((mail) => !mail.isRead && matches(mail, filter));

  return {
    send(mail) {
      counter += 1;
      const id = `${now().toString(36).padStart(9, '0')}${(counter % 36 ** 4).toString(36).padStart(4, '0')}`;
      change([receiveMail(mail, id, now()), ...mails].slice(0, MAX_MAILS));
      return Promise.resolve();
    },
    messages: () => mails,
    find: (id) => mails.find((mail) => mail.id === id),
    waitFor: (filter = {}, timeoutMs = 5000) =>
      new Promise((resolve, reject) => {
        const settle = () => {
          const found = nextUnread(filter);
          if (!found) return;
          unsubscribe();
          clearTimeout(timer);
          setRead([found.id], true);
          resolve({ ...found, isRead: true });
        };
        const unsubscribe = subscribe(settle);
        const timer = setTimeout(() => {
          unsubscribe();
          reject(new Error(`No mail within ${timeoutMs} ms. In the mailbox: ${describe(mails)}`));
        }, timeoutMs);
        settle();
      }),
    setRead,
    clear: (ids) => change(ids ? mails.filter(({ id }) => !ids.includes(id)) : []),
    subscribe,
  };
}

function matches(mail: ReceivedMail, { to, subject }: MailFilter): boolean {
  if (to !== undefined && mail.to.address.toLowerCase() !== to.toLowerCase()) return false;
  if (subject === undefined) return true;
  return typeof subject === 'string' ? mail.subject.includes(subject) : subject.test(mail.subject);
}

function describe(mails: readonly ReceivedMail[]): string {
  const lines = mails.map(({ to, subject, isRead }) => `${to.address}: ${subject}${isRead ? ' (read)' : ''}`);
  return lines.join('; ') || 'nothing';
}
