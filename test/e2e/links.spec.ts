import type { Browser, Page } from '@playwright/test';
import { confirmLink, expect, test, type World } from './support/fixtures.ts';

/** Opens every link of a mail as a mail scanner does: with a browser that runs scripts and presses nothing. */
async function scan(browser: Browser, links: readonly string[]): Promise<void> {
  const scanner = await browser.newContext();
  const page = await scanner.newPage();
  for (const link of links) {
    await page.goto(link);
    await expect(page.locator('main > form button[type=submit]')).toBeVisible();
  }
  await scanner.close();
}

/** The links of the next mail of the auth service; a notice of a sign-in may arrive before it. */
async function mailedLinks(world: World, email: string): Promise<readonly string[]> {
  for (;;) {
    const { links } = await world.mail(email);
    const own = links.filter((link) => link.includes('token_hash='));
    if (own.length > 0) return own;
  }
}

async function askForReset(page: Page, world: World, email: string): Promise<void> {
  await page.goto(`${world.appUrl}/reset-password`);
  await page.getByLabel('Email').fill(email);
  await page.getByRole('button', { name: 'Email me a code', exact: true }).click();
  await expect(page.getByLabel('Code from the email')).toBeVisible();
}

async function enterFreshCode(page: Page, world: World, email: string): Promise<void> {
  await page.getByRole('button', { name: 'Send a new email' }).click();
  await expect(page.getByText(/a new email is on its way/)).toBeVisible();
  await page.getByLabel('Code from the email').fill(await world.mailedCode(email));
  await page.getByRole('button', { name: 'Confirm' }).click();
}

test(
  'a mail scanner neither confirms a sign-up nor uses up its link and code',
  { tag: '@mailbox' },
  async ({ page, browser, world }) => {
    const { email, password } = await world.signUp(page);
    await expect(page.getByLabel('Code from the email')).toBeVisible();
    const { links, code } = await world.mail(email);
    await scan(
      browser,
      links.filter((link) => link.includes('token_hash=')),
    );

    const credentials = { query: { grant_type: 'password' }, body: { email, password } };
    const refused = await world.auth.send('POST', '/token', credentials);
    expect(refused.json, 'still unconfirmed').toMatchObject({ code: 'email_not_confirmed' });
    await page.getByLabel('Code from the email').fill(code ?? '');
    await page.getByRole('button', { name: 'Confirm' }).click();
    await page.waitForURL('**/home');
  },
);

test(
  'a mail scanner does not use up the link of a password reset',
  { tag: ['@nightly', '@mailbox'] },
  async ({ page, browser, world }) => {
    const person = await world.newUser();
    await askForReset(page, world, person.email);
    const links = await mailedLinks(world, person.email);
    await scan(browser, links);
    await page.goto(links[0] ?? '');
    await confirmLink(page);
    await expect(page.getByLabel('New password', { exact: true })).toBeVisible();
  },
);

test(
  'a link works in another browser by its button only',
  { tag: '@mailbox' },
  async ({ page, browser, world }) => {
    const person = await world.newUser();
    await askForReset(page, world, person.email);
    const [link = ''] = await mailedLinks(world, person.email);
    const elsewhere = await browser.newContext();
    const other = await elsewhere.newPage();
    const sent: string[] = [];
    other.on('request', (request) => {
      if (request.method() !== 'GET') sent.push(new URL(request.url()).pathname);
    });
    await other.goto(link);
    await expect(other.getByRole('heading', { name: 'Reset your password' })).toBeVisible();
    expect(sent, 'nothing is sent before the button').toEqual([]);
    await confirmLink(other);
    await expect(other.getByLabel('New password', { exact: true })).toBeVisible();
    expect(sent).toContain('/auth/v1/verify');
    expect(other.url(), 'the token is gone from the URL').toBe(`${world.appUrl}/reset-password`);
    await elsewhere.close();
  },
);

test(
  "a link keeps another user's session until that user agrees",
  { tag: '@mailbox' },
  async ({ page, world }) => {
    const [ada, grace] = await world.newPair();
    await world.auth.send('POST', '/otp', { body: { email: grace.email, create_user: false } });
    const [link = ''] = await mailedLinks(world, grace.email);
    await world.enter(page, ada);
    await page.goto(link);
    await expect(page.getByText(`You’re signed in as ${ada.email}.`, { exact: false })).toBeVisible();
    await page.getByRole('button', { name: `Stay signed in as ${ada.email}` }).click();
    await expect(page.getByRole('button', { name: `Account menu: ${ada.email}` })).toBeVisible();
    expect(page.url(), 'the token is gone from the URL').not.toContain('token_hash');

    await page.goto(link);
    await confirmLink(page);
    await expect(page.getByText(`You’re now signed in as ${grace.email}.`)).toBeVisible();
    await expect(page.getByRole('button', { name: `Account menu: ${grace.email}` })).toBeVisible();
  },
);

test(
  'a used link shows a message, and offers a new one',
  { tag: ['@nightly', '@mailbox'] },
  async ({ page, browser, world }) => {
    const person = await world.newUser();
    await page.goto(`${world.appUrl}/login`);
    await page.getByLabel('Email').fill(person.email);
    await page.getByRole('button', { name: 'Email me a code instead' }).click();
    await page.getByRole('button', { name: 'Email me a code', exact: true }).click();
    const [link = ''] = await mailedLinks(world, person.email);
    const elsewhere = await browser.newContext();
    const other = await elsewhere.newPage();
    await other.goto(link);
    await confirmLink(other);
    await other.waitForURL('**/home');
    await elsewhere.close();

    await page.goto(link);
    await confirmLink(page);
    await expect(page.getByText('This link has expired or was already used')).toBeVisible();
    await expect(page.getByLabel('Email'), 'the address is known').toHaveValue(person.email);
    await world.waitForMailInterval();
    await enterFreshCode(page, world, person.email);
    await page.waitForURL('**/home');
  },
);

test(
  'a sign-up that was confirmed on another device continues with the password',
  { tag: ['@nightly', '@mailbox'] },
  async ({ page, browser, world }) => {
    const { email, password } = await world.signUp(page);
    const { links, code } = await world.mail(email);
    const phone = await browser.newContext();
    const other = await phone.newPage();
    await other.goto(links.find((link) => link.includes('token_hash=')) ?? '');
    await confirmLink(other);
    await other.waitForURL('**/home');
    await phone.close();

    await page.getByLabel('Code from the email').fill(code ?? '');
    await page.getByRole('button', { name: 'Confirm' }).click();
    await expect(page.getByText(/That code isn’t valid/)).toBeVisible();
    await page.getByRole('link', { name: 'Already confirmed? Sign in' }).click();
    await expect(page.getByLabel('Email')).toHaveValue(email);
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.waitForURL('**/home');
  },
);

test(
  'a link with a code, of an older mail or a provider, keeps working in its own browser',
  { tag: ['@nightly', '@mailbox'] },
  async ({ page, browser, world }) => {
    const person = await world.newUser();
    await askForReset(page, world, person.email);
    const { links } = await world.mail(person.email);
    const link = links.find((candidate) => candidate.includes('/verify?')) ?? '';
    await page.goto(link);
    await expect(page.getByLabel('New password', { exact: true })).toBeVisible();

    await world.auth.send('POST', '/recover', { body: { email: person.email } });
    const elsewhere = await browser.newContext();
    const other = await elsewhere.newPage();
    await other.goto(`${world.appUrl}/reset-password?code=${crypto.randomUUID()}`);
    await expect(other.getByText('Open this link where you asked for it')).toBeVisible();
    await elsewhere.close();
  },
);

test(
  'an expired link shows that it expired',
  { tag: ['@nightly', '@clock', '@mailbox'] },
  async ({ page, world }) => {
    const person = await world.newUser();
    await askForReset(page, world, person.email);
    const [link = ''] = await mailedLinks(world, person.email);
    await world.stage.supabase.faults.skewClock(2 * 3_600_000);
    await page.goto(link);
    await confirmLink(page);
    await expect(page.getByText('This link has expired or was already used')).toBeVisible();
    await expect(page.getByRole('button', { name: 'Send a new email' })).toBeVisible();
  },
);

test(
  'a user signs in without a password by code and by link, and opens the requested page',
  { tag: '@mailbox' },
  async ({ page, world }) => {
    const person = await world.newUser();
    await page.goto(`${world.appUrl}/login`);
    await page.getByLabel('Email').fill(person.email);
    await page.getByRole('button', { name: 'Email me a code instead' }).click();
    await page.getByRole('button', { name: 'Email me a code', exact: true }).click();
    await page.getByLabel('Code from the email').fill(await world.mailedCode(person.email));
    await page.getByRole('button', { name: 'Confirm' }).click();
    await page.waitForURL('**/home');

    await page.context().clearCookies();
    await page.goto(`${world.appUrl}/preferences`);
    await page.waitForURL('**/login**');
    await world.waitForMailInterval();
    await page.getByLabel('Email').fill(person.email);
    await page.getByRole('button', { name: 'Email me a code instead' }).click();
    await page.getByRole('button', { name: 'Email me a code', exact: true }).click();
    const [link = ''] = await mailedLinks(world, person.email);
    await page.goto(link);
    await page.waitForURL('**/login?next=%2Fpreferences#token_hash=**');
    await confirmLink(page);
    await page.waitForURL('**/preferences');
  },
);

test(
  'another mail can be requested after a countdown that is not announced',
  { tag: ['@nightly', '@mailbox'] },
  async ({ page, world }) => {
    const person = await world.newUser();
    await page.clock.install();
    await askForReset(page, world, person.email);
    const first = await world.mailedCode(person.email);
    const again = page.getByRole('button', { name: 'Send it again', exact: true });
    await expect(again).toHaveAttribute('aria-disabled', 'true');
    await expect(again).toContainText(/\(\d+ s\)/);
    await page.clock.fastForward(61_000);
    await world.waitForMailInterval();
    await expect(again).not.toContainText(' s)');
    await again.click();
    await expect(page.getByText('If there’s an account for this address')).toBeVisible();
    const second = await world.mailedCode(person.email);
    expect(second).not.toBe(first);
    await page.getByLabel('Code from the email').fill(second);
    await page.getByRole('button', { name: 'Confirm' }).click();
    await expect(page.getByLabel('New password', { exact: true })).toBeVisible();
  },
);
