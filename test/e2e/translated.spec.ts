import type { Page } from '@playwright/test';
import { confirmLink, expect, test } from './support/fixtures.ts';
import { sendMails } from './support/send-mails.ts';
import { unreadList } from './support/world.ts';

/** What a browser's translation does: it moves every text node into new elements. */
async function translate(page: Page): Promise<void> {
  await page.evaluate(() => {
    const wrap = () => {
      const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
      const texts: Text[] = [];
      while (walker.nextNode()) texts.push(walker.currentNode as Text);
      for (const text of texts) {
        if (!text.data.trim() || text.parentElement?.closest('font, script, style, option')) continue;
        const outer = document.createElement('font');
        const inner = document.createElement('font');
        text.replaceWith(outer);
        inner.append(text.data);
        outer.append(inner);
      }
    };
    wrap();
    new MutationObserver(wrap).observe(document.body, {
      childList: true,
      subtree: true,
      characterData: true,
    });
  });
}

function followErrors(page: Page): readonly string[] {
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(error.message));
  return errors;
}

test('sign-in works in a translated page', { tag: '@nightly' }, async ({ page, world }) => {
  const errors = followErrors(page);
  const person = await world.newUser();
  await page.goto(`${world.appUrl}/login`);
  await expect(page.getByLabel('Email')).toBeVisible();
  await translate(page);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByLabel('Email').fill(person.email);
  await page.getByLabel('Password', { exact: true }).fill('wrong');
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await expect(page.getByText('Wrong email or password.')).toBeVisible();
  await page.getByRole('button', { name: 'Email me a code instead' }).click();
  await page.getByRole('button', { name: 'Use my password instead' }).click();
  await page.getByLabel('Password', { exact: true }).fill(person.password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.waitForURL('**/home');
  await expect(page.getByText('Something went wrong')).toHaveCount(0);
  expect(errors).toEqual([]);
});

test(
  'account, preferences and invitations work in a translated page',
  { tag: '@nightly' },
  async ({ page, world }) => {
    const errors = followErrors(page);
    await world.enter(page, await world.newUser(), '/account');
    await expect(page.getByRole('heading', { name: 'Account' })).toBeVisible();
    await translate(page);
    await page.getByLabel('Name', { exact: true }).fill('Ada');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await expect(page.getByText('Saved.')).toBeVisible();
    await page.getByLabel('New password', { exact: true }).fill('password');
    await page.getByRole('button', { name: 'Change password' }).click();
    await expect(page.getByText(/too easy to guess/)).toBeVisible();
    await page.getByRole('button', { name: 'Add an authenticator app' }).click();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('link', { name: 'Preferences' }).first().click();
    await page.getByRole('switch', { name: /^Email notifications/ }).click();
    await expect(page.getByText('No digest is sent while email notifications are off.')).toBeVisible();
    await page.goto(`${world.appUrl}/join`);
    await expect(page.getByText('No open invitations.', { exact: false })).toBeVisible();
    await translate(page);
    await page.getByLabel('Link or code').fill('x');
    await page.getByRole('button', { name: 'Continue' }).click();
    await expect(page.getByText(/not an invitation link or code/)).toBeVisible();
    expect(errors).toEqual([]);
  },
);

test(
  'sign-up, its code and the inbox work in a translated page',
  { tag: ['@nightly', '@mailbox'] },
  async ({ page, world }) => {
    const errors = followErrors(page);
    const email = world.newEmail();
    await page.goto(`${world.appUrl}/signup`);
    await expect(page.getByLabel('Email')).toBeVisible();
    await translate(page);
    await page.getByRole('button', { name: 'Create account' }).click();
    await expect(page.getByText('Enter your email address.')).toBeVisible();
    await page.getByLabel('Email').fill(email);
    await page.getByLabel('Password', { exact: true }).fill('password');
    await expect(page.getByText('Strength')).toBeVisible();
    await page.getByLabel('Password', { exact: true }).fill('Correct-horse-12');
    await page.getByRole('button', { name: 'Show password' }).click();
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.getByLabel('Code from the email').fill('000000');
    await page.getByRole('button', { name: 'Confirm' }).click();
    await expect(page.getByText(/That code isn’t valid/)).toBeVisible();
    await page.getByLabel('Code from the email').fill(await world.mailedCode(email));
    await page.getByRole('button', { name: 'Confirm' }).click();
    await expect(page.getByText('Welcome to Tidings')).toBeVisible();
    await page.getByRole('link', { name: 'Preferences' }).click();
    await page.getByRole('combobox', { name: 'Language' }).selectOption('de');
    await expect(page.getByRole('heading', { name: 'Einstellungen' })).toBeVisible();
    expect(errors).toEqual([]);
  },
);

test(
  'a mailed link and a new password work in a translated page',
  { tag: ['@nightly', '@mailbox'] },
  async ({ page, world }) => {
    const errors = followErrors(page);
    const { email } = await world.newUser();
    await page.goto(`${world.appUrl}/reset-password`);
    await expect(page.getByLabel('Email')).toBeVisible();
    await translate(page);
    await page.getByLabel('Email').fill(email);
    await page.getByRole('button', { name: 'Email me a code', exact: true }).click();
    await expect(page.getByLabel('Code from the email')).toBeVisible();
    await page.goto(await world.mailedLink(email));
    await expect(page.getByRole('heading', { name: 'Reset your password' })).toBeVisible();
    await translate(page);
    await confirmLink(page);
    await page.getByLabel('New password', { exact: true }).fill('abc');
    await page.getByRole('button', { name: 'Save password' }).click();
    await expect(page.getByText('Use at least 8 characters.')).toBeVisible();
    await page.getByLabel('New password', { exact: true }).fill('Another-horse-13');
    await page.getByRole('button', { name: 'Save password' }).click();
    await expect(page.getByRole('heading', { name: 'Your new password is saved' })).toBeVisible();
    await page.getByRole('link', { name: 'Go to your inbox' }).click();
    await page.waitForURL('**/home');
    expect(errors).toEqual([]);
  },
);

test(
  'the inbox, its detail and its dialogs work in a translated page',
  { tag: '@nightly' },
  async ({ page, world }) => {
    const errors = followErrors(page);
    const [ada, grace] = await world.newPair();
    await world.notify(grace, ada, { about: 'Budget', kind: 'comment' });
    for (let edit = 0; edit < 3; edit += 1) await world.notify(grace, ada, { about: 'Garden', kind: 'edit' });
    await world.enter(page, ada);
    const rows = page.locator('main [data-id]');
    await expect(rows).toHaveCount(2);
    await translate(page);
    await world.notify(grace, ada, { about: 'Engine plan' });
    await expect(rows).toHaveCount(3);
    await page.locator('main [data-row]').first().click();
    const detail = page.locator('[data-detail-panel]');
    await expect(detail.getByRole('heading')).toContainText('Engine plan');
    await detail.getByRole('button', { name: 'Mark as unread' }).click();
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await detail.getByRole('button', { name: 'Archive' }).click();
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect(rows).toHaveCount(3);
    await detail.getByRole('button', { name: 'Close' }).click();
    await page.locator('main [data-row][aria-expanded]').click();
    await expect(rows).toHaveCount(6);
    await page.getByRole('searchbox').fill('budget');
    await expect(rows).toHaveCount(1);
    await page.getByRole('searchbox').press('Escape');
    await page.getByRole('button', { name: 'Select', exact: true }).click();
    await page.getByRole('checkbox').first().check();
    const bar = page.getByRole('region', { name: 'Select' });
    await bar.getByRole('button', { name: 'Select all shown' }).click();
    await bar.getByRole('button', { name: 'Mark as read' }).click();
    await expect(bar).toHaveCount(0);
    await expect(unreadList(page, 0)).toBeVisible();
    await page.context().setOffline(true);
    await expect(page.getByText(/You’re offline/).first()).toBeVisible();
    await page.context().setOffline(false);
    await expect(page.getByText(/You’re offline/)).toHaveCount(0);
    expect(errors).toEqual([]);
  },
);

test(
  'an invitation and the unsubscribe page work when translated',
  { tag: ['@nightly', '@database', '@mailbox', '@functions'] },
  async ({ page, world, stage }) => {
    const errors = followErrors(page);
    const [ada, grace] = await world.newPair();
    const { json } = await world.rest.send('POST', '/rpc/create_invitation', {
      token: ada.accessToken,
      body: { invitee_email: grace.email, entity_name: 'the garden plan' },
    });
    await world.enter(page, grace, `/join/${(json as [{ token: string }])[0].token}`);
    await expect(page.getByRole('button', { name: 'Accept' })).toBeVisible();
    await translate(page);
    await page.getByRole('button', { name: 'Accept' }).click();
    await expect(page.getByRole('heading', { name: 'Invitation accepted' })).toBeVisible();

    await stage.query(
      `insert into public.notification_preferences (user_id, email_digest_frequency) values ($1, 'instant')
     on conflict (user_id) do update set email_digest_frequency = 'instant'`,
      [grace.id],
    );
    await world.notify(ada, grace, { about: 'Budget' });
    await sendMails(stage);
    const mail = await world.mail(grace.email);
    expect(mail.subject).toContain('Budget');
    await page.goto(mail.links.find((link) => link.includes('/unsubscribe.html#')) ?? '');
    await expect(page.getByRole('button', { name: 'Unsubscribe', exact: true })).toBeVisible();
    await translate(page);
    await page.getByRole('button', { name: 'Unsubscribe', exact: true }).click();
    await expect(page.getByRole('status')).toContainText('You no longer get emails');
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect(page.getByRole('status')).toContainText('again.');
    expect(errors).toEqual([]);
  },
);
