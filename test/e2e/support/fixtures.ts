import { test as base, expect, type Page } from '@playwright/test';
import { createAuditContext, type AuditContext, type AuditUser } from '../../conformance/audit-context.ts';
import type { ConformanceTarget } from '../../conformance/target.ts';
import { notify } from '../../conformance/rest/notifications.ts';

/** What global setup started. */
interface StageAddresses {
  readonly appUrl: string;
  readonly supabaseUrl: string;
  readonly anonKey: string;
  readonly serviceRoleKey: string;
  readonly mailboxUrl: string;
}

/** People and mails around the browser, through the services' public interfaces. */
export interface World extends Pick<
  AuditContext,
  'newEmail' | 'newUser' | 'mail' | 'mailedCode' | 'auth' | 'rest'
> {
  readonly addresses: StageAddresses;
  /** The first link of the next mail to `email` that leads to the auth service. */
  mailedLink(email: string): Promise<string>;
  /** Signs a person in on the login screen and waits for the inbox. */
  signIn(page: Page, person: AuditUser): Promise<void>;
  /** Sends notifications as `sender`; their ids. */
  notify(sender: AuditUser, recipient: AuditUser, count?: number): Promise<readonly string[]>;
}

export function createWorld(addresses: StageAddresses): World {
  const target: ConformanceTarget = {
    authUrl: `${addresses.supabaseUrl}/auth/v1`,
    restUrl: `${addresses.supabaseUrl}/rest/v1`,
    realtimeUrl: null,
    anonKey: addresses.anonKey,
    serviceKey: addresses.serviceRoleKey,
    mailboxUrl: addresses.mailboxUrl,
    smsInMailbox: true,
    redirectTo: `${addresses.appUrl}/home`,
    fetch: (url, init) => fetch(url, init),
  };
  const context = createAuditContext(target);
  return {
    addresses,
    auth: context.auth,
    rest: context.rest,
    newEmail: context.newEmail,
    newUser: context.newUser,
    mail: context.mail,
    mailedCode: context.mailedCode,
    async mailedLink(email) {
      const { links } = await context.mail(email);
      const link = links.find((candidate) => candidate.includes('/auth/v1/verify'));
      expect(link, 'the mail has a link').toBeTruthy();
      return link ?? '';
    },
    async signIn(page, person) {
      await page.goto(`${addresses.appUrl}/login`);
      await page.getByLabel('E-mail').fill(person.email);
      await page.getByLabel('Password', { exact: true }).fill(person.password);
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
      await page.waitForURL('**/home');
    },
    notify: (sender, recipient, count = 1) => notify(context, sender, recipient, count),
  };
}

export const test = base.extend<object, { world: World }>({
  world: [
    // eslint-disable-next-line no-empty-pattern -- Playwright reads the fixture's dependencies from the pattern.
    async ({}, use) => {
      await use(createWorld(JSON.parse(process.env.E2E_STAGE ?? '{}') as StageAddresses));
    },
    { scope: 'worker' },
  ],
});

export { expect };
