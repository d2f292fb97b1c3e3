import type { Page, Route } from '@playwright/test';
import { expect, test } from './support/fixtures.ts';

type Language = 'en' | 'de';

/** The expected texts, repeated here because a test that reads them from the application cannot find a wrong one. */
const words = {
  en: {
    email: 'Email',
    password: 'Password',
    signIn: 'Sign in',
    signUp: 'Create account',
    sendCode: 'Email me a code',
    name: 'Name',
    save: 'Save',
    tooSoon: 'We’ve just sent you an email. Wait a moment before you ask for another one.',
    serverTrouble: 'Something’s wrong on our side. Please try again in a minute.',
    slowForm: 'Still working on it. Your connection seems slow.',
    slowList: 'This is taking longer than usual. Still loading…',
    gone: 'This notification no longer exists.',
  },
  de: {
    email: 'E‑Mail',
    password: 'Passwort',
    signIn: 'Anmelden',
    signUp: 'Konto erstellen',
    sendCode: 'Code per E‑Mail schicken',
    name: 'Name',
    save: 'Speichern',
    tooSoon:
      'Wir haben dir gerade eine E‑Mail geschickt. Warte einen Moment, bevor du die nächste anforderst.',
    serverTrouble: 'Bei uns ist etwas schiefgegangen. Bitte versuche es in einer Minute noch einmal.',
    slowForm: 'Einen Moment noch. Deine Verbindung scheint langsam zu sein.',
    slowList: 'Das dauert länger als gewöhnlich. Wird noch geladen …',
    gone: 'Diese Benachrichtigung gibt es nicht mehr.',
  },
} as const;

/** Responds to requests to a path of the services; preflights pass. */
async function respond(page: Page, path: string, reply: (route: Route) => Promise<void>): Promise<void> {
  await page.route(
    (url) => url.pathname.startsWith(path),
    (route) => (route.request().method() === 'OPTIONS' ? route.continue() : reply(route)),
  );
}

/** A reply that pages of other origins may read. */
function reply(status: number, body: string, headers: Readonly<Record<string, string>> = {}) {
  return (route: Route) =>
    route.fulfill({
      status,
      body,
      headers: {
        'Access-Control-Allow-Origin': '*',
        'Access-Control-Expose-Headers': '*',
        'Content-Type': 'application/json',
        ...headers,
      },
    });
}

/** The request gets no response. */
const hang = () => new Promise<void>(() => undefined);

const mailLimit = JSON.stringify({
  code: 'over_email_send_rate_limit',
  message: 'Email rate limit exceeded',
});

for (const language of ['en', 'de'] satisfies Language[]) {
  const say = words[language];

  test.describe(`in ${language}`, { tag: '@nightly' }, () => {
    test.beforeEach(async ({ page }) => {
      await page.addInitScript((chosen) => localStorage.setItem('language', chosen), language);
    });

    async function askForMail(page: Page, appUrl: string): Promise<void> {
      await page.goto(`${appUrl}/reset-password`);
      await page.getByLabel(say.email).fill('ada@example.com');
      await page.getByRole('button', { name: say.sendCode }).click();
    }

    async function submitPassword(page: Page, appUrl: string): Promise<void> {
      await page.goto(`${appUrl}/login`);
      await page.getByLabel(say.email).fill('ada@example.com');
      await page.getByLabel(say.password, { exact: true }).fill('a-long-enough-secret-7');
      await page.getByRole('button', { name: say.signIn, exact: true }).click();
    }

    test('after too many emails the form says to wait', async ({ page, world }) => {
      await respond(page, '/auth/v1/recover', reply(429, mailLimit));
      await askForMail(page, world.appUrl);
      await expect(page.getByRole('alert').filter({ hasText: say.tooSoon })).toBeVisible();
      await expect(page.getByLabel(say.email)).toHaveValue('ada@example.com');
    });

    test('after too many emails the button counts down to the time that the server names', async ({
      page,
      world,
    }) => {
      await respond(page, '/auth/v1/recover', reply(429, mailLimit, { 'Retry-After': '42' }));
      await askForMail(page, world.appUrl);
      await expect(page.getByRole('alert').filter({ hasText: say.tooSoon })).toBeVisible();
      const button = page.getByRole('button', { name: say.sendCode });
      await expect(button).toContainText(/\((4[0-2]|3\d) s\)/);
      await expect(button).toBeDisabled();
    });

    test('a page of HTML with status 500 leads to one sentence without markup', async ({ page, world }) => {
      const html = '<html><body><h1>Internal Server Error</h1></body></html>';
      await respond(page, '/auth/v1/token', reply(500, html, { 'Content-Type': 'text/html' }));
      await submitPassword(page, world.appUrl);
      const alert = page.getByRole('alert').filter({ hasText: /\S/ });
      await expect(alert).toHaveText(say.serverTrouble);
      await expect(page.getByText('Internal Server Error')).toHaveCount(0);
    });

    test(
      'a foreign or deleted notification has a message on its page',
      { tag: '@database' },
      async ({ page, world }) => {
        const [ada, grace] = await world.newPair();
        await world.notify(ada, grace, { about: 'Secret' });
        const [foreign] = await world.notificationsOf(grace);
        await world.notify(grace, ada);
        const [own] = await world.notificationsOf(ada);
        await world.stage.query('delete from public.notifications where id = $1', [own?.id]);
        for (const id of [foreign?.id, own?.id, 'not-an-id']) {
          await world.enter(page, ada, `/home?open=${id}`);
          await expect(page.getByText(say.gone)).toBeVisible();
          await expect(page.getByText('Secret')).toHaveCount(0);
        }
      },
    );

    test('pending forms show a message after two seconds', async ({ page, world }) => {
      await respond(page, '/auth/v1/', hang);
      await submitPassword(page, world.appUrl);
      await expect(page.getByText(say.slowForm)).toBeVisible();
      await askForMail(page, world.appUrl);
      await expect(page.getByText(say.slowForm)).toBeVisible();
      await page.goto(`${world.appUrl}/signup`);
      await page.getByLabel(say.email).fill('mary@example.com');
      await page.getByLabel(say.password, { exact: true }).fill('a-long-enough-secret-7');
      await page.getByRole('button', { name: say.signUp, exact: true }).click();
      await expect(page.getByText(say.slowForm)).toBeVisible();
      // Press the button of the page that a mail links to.
      await page.goto(`${world.appUrl}/home?token_hash=${'a'.repeat(56)}&type=signup`);
      await page.locator('main > form button[type=submit]').click();
      await expect(page.getByText(say.slowForm)).toBeVisible();
    });

    test('screens that wait show that they load', async ({ page, world }) => {
      const person = await world.newUser();
      await respond(page, '/rest/v1/', hang);
      await respond(page, '/auth/v1/', hang);
      await world.enter(page, person);
      await expect(page.getByText(say.slowList)).toBeVisible();
      const id = crypto.randomUUID();
      const slow = page.getByText(say.slowList).or(page.getByText(say.slowForm)).first();
      for (const path of [
        `/home?open=${id}`,
        '/preferences',
        '/account',
        '/join',
        `/join/${'0'.repeat(32)}`,
      ]) {
        await page.goto(world.appUrl + path);
        await expect(slow, path).toBeVisible();
      }
    });

    test('the unsubscribe page shows that it waits', async ({ page, world }) => {
      await respond(page, '/functions/v1/unsubscribe', hang);
      await page.goto(`${world.appUrl}/unsubscribe.html#token=unknown&kind=mention`);
      await expect(page.getByRole('status')).toHaveText(say.slowForm);
    });

    test('pending changes show a message after two seconds', async ({ page, world }) => {
      await world.enter(page, await world.newUser(), '/account');
      await expect(page.getByLabel(say.name, { exact: true })).toBeVisible();
      await respond(page, '/auth/v1/user', hang);
      await page.getByLabel(say.name, { exact: true }).fill('Ada');
      await page.getByRole('button', { name: say.save, exact: true }).click();
      await expect(page.getByText(say.slowForm)).toBeVisible();
    });
  });
}
