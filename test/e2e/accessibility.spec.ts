import { expectAccessible } from './support/accessibility.ts';
import { expect, test } from './support/fixtures.ts';

test.use({ reducedMotion: 'reduce' });

const expired = 'error=access_denied&error_code=otp_expired&error_description=expired&sb=';

test('sign-in is accessible: the screen, errors, sign-in by mail, a used link, offline', async ({
  page,
  world,
}) => {
  await page.goto(`${world.appUrl}/login`);
  await expect(page.getByRole('button', { name: 'Continue with Google' })).toBeVisible();
  await expectAccessible(page, 'login');
  await expect(page.getByRole('main')).toMatchAriaSnapshot(`
    - main:
      - heading "Sign in" [level=1]
      - textbox "Email"
      - textbox "Password"
      - button "Show password"
      - button "Sign in"
      - button "Email me a code instead"
      - link "Forgot your password?"
  `);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await expect(page.getByLabel('Email')).toBeFocused();
  await expectAccessible(page, 'login with errors');
  await page.getByLabel('Email').fill('unknown@example.com');
  await page.getByLabel('Password', { exact: true }).fill('wrong');
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await expect(page.getByText('Wrong email or password.')).toBeVisible();
  await expectAccessible(page, 'login refused');
  await page.getByRole('button', { name: 'Email me a code instead' }).click();
  await expect(page.getByRole('heading', { name: 'Sign in by email' })).toBeFocused();
  await expectAccessible(page, 'login by mail');
  await page.goto(`${world.appUrl}/home?${expired}`);
  await expect(page.getByText('This link has expired or was already used')).toBeVisible();
  await expectAccessible(page, 'login after a spent link');
  await page.context().setOffline(true);
  await expect(page.getByText(/You’re offline/)).toBeVisible();
  await expectAccessible(page, 'login offline');
});

test(
  'signing up and resetting the password are accessible to the last step',
  { tag: ['@nightly', '@mailbox'] },
  async ({ page, world }) => {
    const person = await world.newUser();
    await page.goto(`${world.appUrl}/signup`);
    await page.getByLabel('Password', { exact: true }).fill('sunny-harbour');
    await expect(page.getByText('Strength')).toBeVisible();
    await expectAccessible(page, 'signup');
    await page.getByLabel('Email').fill(world.newEmail());
    await page.getByRole('button', { name: 'Create account' }).click();
    await expect(page.getByLabel('Code from the email')).toBeVisible();
    await expectAccessible(page, 'check your email');
    await page.goto(`${world.appUrl}/reset-password`);
    await expectAccessible(page, 'reset password');
    await page.getByLabel('Email').fill(person.email);
    await page.getByRole('button', { name: 'Email me a code', exact: true }).click();
    await page.getByLabel('Code from the email').fill(await world.mailedCode(person.email));
    await page.getByRole('button', { name: 'Confirm' }).click();
    await expect(page.getByLabel('New password', { exact: true })).toBeVisible();
    await expectAccessible(page, 'set a new password');
    await page.getByLabel('New password', { exact: true }).fill('Another-horse-13');
    await page.getByRole('button', { name: 'Save password' }).click();
    await expect(page.getByRole('heading', { name: 'Your new password is saved' })).toBeVisible();
    await expectAccessible(page, 'the new password is saved');
  },
);

test('the inbox is accessible: empty, filled, with a selection', async ({ page, world }) => {
  const [ada, grace] = await world.newPair();
  await world.enter(page, ada);
  await expect(page.getByText('No notifications yet.')).toBeVisible();
  await expectAccessible(page, 'inbox empty');
  for (const kind of ['mention', 'edit', 'comment', 'invite', 'system'])
    await world.notify(grace, ada, {
      kind,
      about: `A plan for each ${kind} with a name that is longer than a phone is wide`,
    });
  await expect(page.locator('main [data-id]')).toHaveCount(5);
  await expectAccessible(page, 'inbox');
  await page.locator('main [data-id]').first().hover();
  await expectAccessible(page, 'inbox with a row under the pointer', { only: 'desktop' });
  await page.getByRole('button', { name: 'Select', exact: true }).click();
  await page.getByRole('checkbox').first().check();
  await expectAccessible(page, 'inbox selecting');
});

test(
  'the dialogs, panels and messages of the inbox are accessible',
  { tag: '@nightly' },
  async ({ page, world }) => {
    const [ada, grace] = await world.newPair();
    await world.notify(grace, ada, { count: 2 });
    await world.enter(page, ada);
    await page.locator('main [data-id]').first().hover();
    await page
      .getByRole('button', { name: /^Delete/ })
      .first()
      .click();
    await expect(page.getByRole('button', { name: 'Undo' })).toBeVisible();
    await expectAccessible(page, 'inbox with a message');
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.getByRole('button', { name: 'Filter', exact: true }).click();
    await expect(page.getByRole('dialog', { name: 'Filter' }).getByRole('button').first()).toBeVisible();
    await expectAccessible(page, 'filter', { only: 'desktop' });
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Inbox options' }).click();
    await expect(page.getByRole('dialog', { name: 'Inbox options' })).toBeVisible();
    await expectAccessible(page, 'inbox options');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: /^Account menu/ }).click();
    await expect(page.getByRole('button', { name: 'Sign out' })).toBeVisible();
    await expectAccessible(page, 'account menu');
    await page.keyboard.press('Escape');
    // On a phone this button is in the options, because the toolbar has no room for it.
    await page.getByRole('button', { name: 'Inbox options' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Invite', exact: true }).click();
    await page.getByLabel('Email address').fill(grace.email);
    await expectAccessible(page, 'invite');
    await page.getByRole('dialog').getByRole('button', { name: 'Create link' }).click();
    await expect(page.getByLabel('Invitation link')).toBeVisible();
    await expectAccessible(page, 'invited');
  },
);

test.describe('on a touch screen', () => {
  test.use({ hasTouch: true, isMobile: true, viewport: { width: 320, height: 640 } });

  test(
    'a row opens its actions in a sheet on a touch screen',
    { tag: '@nightly' },
    async ({ page, world }) => {
      const [ada, grace] = await world.newPair();
      await world.notify(grace, ada);
      await world.enter(page, ada);
      await page.getByRole('button', { name: /^More actions/ }).tap();
      await expect(page.getByRole('dialog').getByRole('button', { name: 'Archive' })).toBeVisible();
      await expectAccessible(page, 'row menu', { only: 'phone' });
      await page.getByRole('dialog').getByRole('button', { name: 'Archive' }).tap();
      await expect(page.locator('main [data-id]')).toHaveCount(0);
    },
  );
});

test(
  'preferences and account are accessible with their dialogs and panels',
  { tag: '@nightly' },
  async ({ page, world }) => {
    await world.enter(page, await world.newUser(), '/preferences');
    await expect(page.getByRole('group', { name: 'Mentions' })).toBeVisible();
    await expectAccessible(page, 'preferences');
    await expect(page.getByRole('group', { name: 'Mentions' })).toMatchAriaSnapshot(`
    - group "Mentions":
      - switch "Email" [checked]
      - switch "In app" [checked]
  `);
    await page.getByRole('switch', { name: 'Email notifications' }).click();
    await expect(page.getByText('No digest is sent')).toBeVisible();
    await expectAccessible(page, 'preferences without mails');
    await page.goto(`${world.appUrl}/account`);
    await expect(page.getByRole('button', { name: 'Link GitHub' })).toBeVisible();
    await expectAccessible(page, 'account');
    await page.getByRole('button', { name: 'Add an authenticator app' }).click();
    await expect(page.getByRole('img', { name: /^QR code/ })).toBeVisible();
    await page.getByLabel('New email address').fill(world.newEmail());
    await page.getByRole('button', { name: 'Change address' }).click();
    await expect(page.getByLabel(/^Code sent to/).first()).toBeVisible();
    await expectAccessible(page, 'account with an enrollment and a change of address');
    await page.getByRole('button', { name: 'Sign out everywhere' }).click();
    await expect(page.getByRole('dialog')).toBeVisible();
    await expectAccessible(page, 'account asking once more');
  },
);

test(
  'invitations, missing pages, the shell, and the page that clears cookies are accessible',
  { tag: '@nightly' },
  async ({ page, world }) => {
    const [ada, grace] = await world.newPair();
    const { json } = await world.rest.send('POST', '/rpc/create_invitation', {
      token: ada.accessToken,
      body: { invitee_email: grace.email, entity_name: 'the garden plan' },
    });
    const path = `/join/${(json as [{ token: string }])[0].token}`;
    await page.goto(`${world.appUrl}/join`);
    await expectAccessible(page, 'join by code');
    await page.goto(world.appUrl + path);
    await expectAccessible(page, 'invited, signed out');
    await page.goto(`${world.appUrl}/clear-cookies`);
    await expectAccessible(page, 'clear cookies');
    await world.enter(page, grace, path);
    await expect(page.getByRole('button', { name: 'Accept' })).toBeVisible();
    await expectAccessible(page, 'invited');
    await world.enter(page, ada, path);
    await expect(page.getByRole('heading', { name: 'You sent this invitation' })).toBeVisible();
    await expectAccessible(page, 'own invitation');
    await page.goto(`${world.appUrl}/nowhere`);
    await expect(page.getByRole('heading', { name: 'Page not found' })).toBeVisible();
    await expectAccessible(page, 'not found');
  },
);
