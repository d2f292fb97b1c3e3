import { expect, type Locator, type Page } from '@playwright/test';
import { cookiesToSet } from '../../../src/auth-client/server/cookies-to-set.ts';
import {
  createAuditContext,
  removeRun,
  type AuditContext,
  type AuditUser,
  type ConformanceTarget,
} from 'supabase-conformance';
import type { Stage } from './stage.ts';

export type Person = AuditUser;

export interface Sending {
  /** Default 1. */
  readonly count?: number;
  /** Default `mention`. */
  readonly kind?: string;
  /** What the notification is about; the n-th of several gets its number. Default `Document`. */
  readonly about?: string;
}

export interface SessionCookie {
  readonly name: string;
  readonly value: string;
  readonly url: string;
}

/** People and mails around the browser, through the services' public interfaces. */
export interface World extends Pick<
  AuditContext,
  'newEmail' | 'newUser' | 'mail' | 'mails' | 'mailedCode' | 'auth' | 'rest'
> {
  readonly stage: Stage;
  readonly appUrl: string;
  /** Removes the users of this world from a project that stays. */
  close(): Promise<void>;
  /** Waits until a project that limits the mails to one address sends the next one. */
  waitForMailInterval(): Promise<void>;
  /** Two fresh accounts. */
  newPair(): Promise<readonly [Person, Person]>;
  /** The link of the next mail to `email`; the page behind it has a button. */
  mailedLink(email: string): Promise<string>;
  /** Opens the link of the next mail to `email`, and presses the button of its page. */
  followLink(page: Page, email: string): Promise<void>;
  /** Creates an account on the sign-up screen; its address is not confirmed yet. */
  signUp(page: Page): Promise<Pick<Person, 'email' | 'password'>>;
  /** Signs a person in on the login screen and waits for the inbox. */
  signIn(page: Page, person: Pick<Person, 'email' | 'password'>): Promise<void>;
  /** Signs out by the account menu and waits for the login screen. */
  signOut(page: Page): Promise<void>;
  sessionCookies(person: Person): Promise<readonly SessionCookie[]>;
  /** Opens a page of the application in a new session of that user. */
  enter(page: Page, person: Person, path?: string): Promise<void>;
  /** Sends notifications in the name of `sender`, and waits for their delivery on a project where a timer delivers. */
  notify(sender: Person, recipient: Person, sending?: Sending): Promise<void>;
  /** The rows of a person's notifications, read as that person, newest first. */
  notificationsOf(person: Person): Promise<readonly { readonly id: string; readonly status: string }[]>;
}

/** The button on the page of a mail link; nothing is sent before it. */
export function confirmLink(page: Page): Promise<void> {
  return page.locator('main > form button[type=submit]').click();
}

/** The list of unread notifications in the rail, or the tabs, with this number. */
export function unreadList(page: Page, count: number): Locator {
  return page.getByRole('link', { name: `Unread, ${count}`, exact: true }).first();
}

/** A job delivers inserted rows once a second. Rows that a preference or a block suppresses never arrive. */
const deliveryMs = 4_000;

async function waitForDelivery(count: () => Promise<number>, expected: number): Promise<void> {
  for (const startedMs = Date.now(); Date.now() - startedMs < deliveryMs;) {
    if ((await count()) >= expected) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

export function createWorld(stage: Stage): World {
  const { project, appUrl } = stage;
  const target: ConformanceTarget = {
    authUrl: `${project.url}/auth/v1`,
    restUrl: `${project.url}/rest/v1`,
    realtimeUrl: null,
    storageUrl: null,
    anonKey: project.anonKey,
    serviceKey: project.serviceRoleKey,
    mailboxUrl: project.mailboxUrl,
    smsInMailbox: true,
    redirectTo: `${appUrl}/home`,
    fetch: (url, init) => fetch(url, init),
  };
  const context = createAuditContext(target);
  const { auth, rest, newEmail, newUser } = context;
  const withMailbox =
    <T>(read: (address: string) => Promise<T>) =>
    (address: string) => {
      stage.used.add('@mailbox');
      return read(address);
    };
  const mail = withMailbox(context.mail);
  const countNotifications = async ({ id }: Person): Promise<number> => {
    const query = { select: 'id', recipient_id: `eq.${id}`, limit: '1000' };
    const { json } = await rest.send('GET', '/notifications', { token: project.serviceRoleKey, query });
    return (json as readonly unknown[]).length;
  };
  const sessionCookies = async ({ email, password }: Person) => {
    const { json } = await context.signIn(email, password);
    const storageKey = `sb-${new URL(project.url).hostname.split('.')[0]}-auth-token`;
    return cookiesToSet(storageKey, JSON.stringify(json), [], {}).map(({ name, value }) => ({
      name,
      value,
      url: appUrl,
    }));
  };
  return {
    stage,
    appUrl,
    auth,
    rest,
    newEmail,
    newUser,
    mail,
    mails: withMailbox(context.mails),
    mailedCode: withMailbox(context.mailedCode),
    async close() {
      if (stage.isExternal) await removeRun(target, context.run);
    },
    async waitForMailInterval() {
      await new Promise((resolve) => setTimeout(resolve, stage.mailIntervalMs));
    },
    newPair: () => Promise.all([newUser(), newUser()]),
    async mailedLink(email) {
      const { links } = await mail(email);
      const link = links.find((candidate) => candidate.includes('token_hash='));
      expect(link, 'the mail has a link').toBeTruthy();
      return link ?? '';
    },
    async followLink(page, email) {
      const { links } = await mail(email);
      await page.goto(links.find((link) => link.includes('token_hash=')) ?? '');
      await confirmLink(page);
    },
    async signUp(page) {
      const person = { email: newEmail(), password: 'Correct-horse-12' };
      await page.goto(`${appUrl}/signup`);
      await page.getByLabel('Email').fill(person.email);
      await page.getByLabel('Password', { exact: true }).fill(person.password);
      await page.getByRole('button', { name: 'Create account' }).click();
      return person;
    },
    async signIn(page, person) {
      await page.goto(`${appUrl}/login`);
      await page.getByLabel('Email').fill(person.email);
      await page.getByLabel('Password', { exact: true }).fill(person.password);
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
      await page.waitForURL('**/home');
    },
    async signOut(page) {
      await page.getByRole('button', { name: /^Account menu/ }).click();
      await page.getByRole('button', { name: 'Sign out', exact: true }).click();
      await page.waitForURL('**/login');
    },
    sessionCookies,
    async enter(page, person, path = '/home') {
      await page.context().addCookies(await sessionCookies(person));
      await page.goto(appUrl + path);
    },
    async notify(sender, recipient, { count = 1, kind = 'mention', about = 'Document' } = {}) {
      // More notifications than a user may send are sent by a service, in the name of the sender.
      const isService = count > 50;
      const body = Array.from({ length: count }, (_, index) => ({
        recipient_id: recipient.id,
        ...(isService ? { sender_id: sender.id } : {}),
        content: JSON.stringify({
          type: kind,
          metadata: isService ? { actor_id: sender.id, actor_name: sender.email.split('@')[0] } : {},
          entity_type: 'document',
          entity_id: count === 1 ? about : `${about} ${index + 1}`,
          data: { entity_name: count === 1 ? about : `${about} ${index + 1}` },
        }),
      }));
      const headers = { Prefer: 'return=minimal' };
      const before = stage.deliversByTimer ? await countNotifications(recipient) : 0;
      const { status } = await rest.send('POST', '/notifications', {
        token: isService ? project.serviceRoleKey : sender.accessToken,
        body,
        headers,
      });
      expect(status).toBe(201);
      if (stage.deliversByTimer) await waitForDelivery(() => countNotifications(recipient), before + count);
    },
    async notificationsOf({ accessToken }) {
      const query = { select: 'id,status', order: 'created_at.desc,id.desc', limit: '1000' };
      const { json } = await rest.send('GET', '/notifications', { token: accessToken, query });
      return json as { id: string; status: string }[];
    },
  };
}
