import type { Page } from '@playwright/test';
import * as OTPAuth from 'otpauth';
import { expect, test, type Person, type World } from './support/fixtures.ts';
import { unreadList } from './support/world.ts';
import { createKeyboard, type Keyboard } from './support/keyboard.ts';

/** The whole application without a pointer. */
test.describe('by keyboard', { tag: '@nightly' }, () => {
  const rows = (page: Page) => page.locator('main [data-id]');
  const links = (page: Page) => page.locator('main [data-row]');
  const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true });

  async function signIn(page: Page, keys: Keyboard, person: Pick<Person, 'email' | 'password'>) {
    await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible();
    await keys.type(page.getByLabel('Email'), person.email);
    await keys.type(page.getByLabel('Password', { exact: true }), person.password);
    await keys.keys('Enter');
    await page.waitForURL('**/home');
  }

  async function signOut(page: Page, keys: Keyboard) {
    await keys.press(button(page, /^Account menu/));
    await keys.press(button(page, 'Sign out'));
    await page.waitForURL('**/login');
    await expect(page.getByRole('heading', { name: 'Sign in' })).toBeFocused();
  }

  async function invite(world: World, inviter: Person, email: string, entityName: string): Promise<string> {
    const { json } = await world.rest.send('POST', '/rpc/create_invitation', {
      token: inviter.accessToken,
      body: { invitee_email: email, entity_name: entityName },
    });
    return `/join/${(json as [{ token: string }])[0].token}`;
  }

  test(
    'by keyboard a user signs up, confirms, signs out, and signs in with a new password',
    { tag: '@mailbox' },
    async ({ page, world }) => {
      const keys = await createKeyboard(page);
      const person = { email: world.newEmail(), password: 'Correct-horse-12' };
      await page.goto(`${world.appUrl}/login`);
      await keys.press(page.getByRole('link', { name: 'Create account' }));
      await expect(page.getByRole('heading', { name: 'Create account' })).toBeFocused();
      // Empty fields first: the focus goes to the first one that needs a change.
      await keys.press(button(page, 'Create account'));
      await expect(page.getByLabel('Email')).toBeFocused();
      await keys.type(page.getByLabel('Email'), person.email);
      await keys.type(page.getByLabel('Password', { exact: true }), person.password);
      await keys.press(button(page, 'Show password'), 'Space');
      await keys.press(button(page, 'Create account'));
      await expect(page.getByLabel('Code from the email')).toBeFocused();
      await page.goto(await world.mailedLink(person.email));
      await keys.press(button(page, 'Confirm and sign in'), 'Space');
      await page.waitForURL('**/home');
      await signOut(page, keys);

      await keys.press(page.getByRole('link', { name: 'Forgot your password?' }));
      await expect(page.getByRole('heading', { name: 'Reset your password' })).toBeFocused();
      await keys.type(page.getByLabel('Email'), person.email);
      await keys.press(button(page, 'Email me a code'));
      await keys.type(page.getByLabel('Code from the email'), await world.mailedCode(person.email));
      await keys.press(button(page, 'Confirm'));
      await keys.type(page.getByLabel('New password', { exact: true }), 'Another-horse-13');
      await keys.press(button(page, 'Save password'));
      await expect(page.getByRole('heading', { name: 'Your new password is saved' })).toBeFocused();
      await keys.press(page.getByRole('link', { name: 'Go to your inbox' }));
      await page.waitForURL('**/home');
      await signOut(page, keys);
      await signIn(page, keys, { ...person, password: 'Another-horse-13' });
      await keys.expectNoPointer();
    },
  );

  test('by keyboard a user filters, opens, steps, archives, undoes, searches and snoozes', async ({
    page,
    world,
  }) => {
    const keys = await createKeyboard(page);
    const [ada, grace] = await world.newPair();
    await world.notify(grace, ada, { about: 'Budget', kind: 'comment' });
    await world.notify(grace, ada, { about: 'Engine plan' });
    await world.notify(grace, ada, { about: 'Garden', kind: 'edit' });
    await page.goto(`${world.appUrl}/login`);
    await signIn(page, keys, ada);
    await expect(rows(page)).toHaveCount(3);

    // Switch the filter with its link.
    const views = page.getByRole('complementary', { name: 'Views' });
    const comments = views.getByRole('link', { name: /^Comments/ });
    await keys.press(comments);
    await expect(rows(page)).toHaveCount(1);
    await expect(page.getByRole('heading', { name: 'Comments' })).toBeVisible();
    await expect(comments, 'the next filter is one key away').toBeFocused();
    await keys.press(comments);
    await expect(rows(page)).toHaveCount(3);

    // Open the detail from its row, step through the list, and close it.
    await keys.press(links(page).first());
    const detail = page.locator('[data-detail-panel]');
    await expect(detail.getByRole('heading')).toContainText('Garden');
    await expect(detail.getByRole('heading')).toBeFocused();
    await keys.press(detail.getByRole('button', { name: 'Next notification' }));
    await expect(detail.getByRole('heading')).toContainText('Engine plan');
    await keys.press(detail.getByRole('button', { name: 'Previous notification' }));
    await expect(detail.getByRole('heading')).toContainText('Garden');
    await keys.keys('j', 'j');
    await expect(detail.getByRole('heading')).toContainText('Budget');
    await keys.keys('Escape');
    await expect(detail).toHaveCount(0);
    expect(await isFocusOn(page, 'main'), 'the focus stays in the content').toBe(true);

    // The letters act on the row that has the focus; its menu is the next stop.
    await keys.to(links(page).first());
    await keys.keys('e');
    await expect(rows(page)).toHaveCount(2);
    await expect(links(page).first()).toBeFocused();
    await keys.press(button(page, 'Undo'));
    await expect(rows(page)).toHaveCount(3);

    // Snooze a row with its menu.
    await keys.press(
      rows(page)
        .first()
        .getByRole('button', { name: /^More actions/ }),
    );
    const menu = page.getByRole('menu');
    const item = (name: string | RegExp) => menu.getByRole('menuitem', { name });
    await expect(item('Mark as unread'), 'the menu opens at its first item').toBeFocused();
    await keys.keys('End');
    await expect(item('Report…')).toBeFocused();
    await keys.keys('ArrowDown', 'ArrowDown');
    await expect(item('Snooze…')).toBeFocused();
    await keys.keys('ArrowUp', 'ArrowUp', 'Home', 's', 's');
    await expect(item('Select')).toBeFocused();
    await keys.keys('Escape');
    await expect(menu).toHaveCount(0);
    await expect(
      rows(page)
        .first()
        .getByRole('button', { name: /^More actions/ }),
      'the focus returns to the button',
    ).toBeFocused();
    await keys.keys('Enter', 's', 'Enter');
    await keys.press(page.getByRole('dialog').getByRole('button', { name: /^Tomorrow/ }));
    await expect(rows(page)).toHaveCount(2);
    expect(await isFocusOn(page, 'main'), 'the focus stays in the content').toBe(true);
    await keys.keys('z');
    await expect(rows(page)).toHaveCount(3);

    // Search for a word.
    await keys.keys('/');
    await expect(page.getByRole('searchbox')).toBeFocused();
    await page.keyboard.type('budget');
    await expect(rows(page)).toHaveCount(1);
    await keys.keys('Escape');
    await expect(rows(page)).toHaveCount(3);

    // Open the panel of the filter, and return.
    await keys.keys('Escape');
    const filter = button(page, 'Filter');
    await keys.press(filter);
    const panel = page.getByRole('dialog', { name: 'Filter' });
    await keys.to(panel.getByRole('button').first());
    await keys.keys('Escape');
    await expect(filter).toBeFocused();
    await signOut(page, keys);
    await keys.expectNoPointer();
  });

  test('by keyboard a user selects rows, acts on all of them, and invites', async ({ page, world }) => {
    const keys = await createKeyboard(page);
    const [ada, grace] = await world.newPair();
    await world.notify(grace, ada, { count: 4 });
    await world.enter(page, ada);
    await expect(rows(page)).toHaveCount(4);
    await keys.press(button(page, 'Select'));
    const boxes = rows(page).getByRole('checkbox');
    await keys.press(boxes.nth(0), 'Space');
    await keys.press(boxes.nth(2), 'Space');
    const bar = page.getByRole('region', { name: 'Select' });
    await expect(bar.getByRole('status')).toHaveText('2 selected');
    const next = await links(page).nth(1).getAttribute('data-row');
    await keys.press(bar.getByRole('button', { name: 'Archive' }));
    await expect(rows(page)).toHaveCount(2);
    await expect(bar, 'an action ends the selection').toHaveCount(0);
    await expect(page.locator(`[data-row="${next}"]`), 'the next row has the focus').toBeFocused();
    await keys.keys('z');
    await expect(rows(page)).toHaveCount(4);
    await keys.press(button(page, 'Select'));
    const selectAll = bar.getByRole('button', { name: 'Select all shown' });
    await keys.press(selectAll);
    await expect(bar.getByRole('status')).toHaveText('4 selected');
    await expect(selectAll, 'nothing more can be selected').toHaveCount(0);
    await expect(bar.getByRole('button', { name: 'Mark as read' })).toBeFocused();
    await keys.press(bar.getByRole('button', { name: 'Snooze…' }));
    await expect(page.getByRole('dialog')).toBeVisible();
    await keys.keys('Escape');
    await keys.press(bar.getByRole('button', { name: 'Mark as read' }));
    await expect(unreadList(page, 0)).toBeVisible();
    await expect(bar).toHaveCount(0);
    expect(await isFocusOn(page, 'main'), 'the focus stays in the content').toBe(true);
    // Do the same with shortcuts instead of the buttons of the bar.
    await keys.to(links(page).first());
    await keys.keys('x', 'j', 'x');
    await expect(bar.getByRole('status')).toHaveText('2 selected');
    await keys.keys('e');
    await expect(rows(page), 'a key acts on all selected rows').toHaveCount(2);
    await expect(bar).toHaveCount(0);
    expect(await isFocusOn(page, 'main'), 'the focus stays in the content').toBe(true);
    await keys.keys('z');
    await expect(rows(page)).toHaveCount(4);
    await keys.to(links(page).first());
    await keys.keys('x', 'Escape');
    await expect(bar).toHaveCount(0);

    await keys.press(button(page, 'Inbox options'));
    const options = page.getByRole('dialog', { name: 'Inbox options' });
    await keys.press(options.getByRole('switch', { name: /Group notifications/ }), 'Space');
    await keys.keys('Escape');
    await expect(options).toBeHidden();
    await expect(button(page, 'Inbox options')).toBeFocused();

    await keys.press(button(page, 'Invite'));
    const dialog = page.getByRole('dialog');
    await keys.type(dialog.getByLabel('Email address'), grace.email);
    await keys.press(dialog.getByRole('button', { name: 'Create link' }));
    await keys.to(dialog.getByRole('button', { name: 'Copy' }));
    await keys.keys('Escape');
    await expect(button(page, 'Invite')).toBeFocused();
    await keys.expectNoPointer();
  });

  test('by keyboard a user selects a list beyond its loaded page, marks it as read and deletes it', async ({
    page,
    world,
  }) => {
    const keys = await createKeyboard(page);
    const [ada, grace] = await world.newPair();
    await world.notify(grace, ada, { count: 64 });
    await world.enter(page, ada);
    await expect(rows(page)).toHaveCount(30);
    const bar = page.getByRole('region', { name: 'Select' });
    const selectEverything = async () => {
      await expect(bar).toBeVisible();
      const everything = bar.getByRole('button', { name: 'Select all 64' });
      await expect(async () => {
        // A page that arrives after the key is selected by the next one.
        if (!(await everything.isVisible())) await keys.keys('ControlOrMeta+A');
        await expect(everything, 'the key leads to the bar').toBeFocused({ timeout: 1_000 });
      }).toPass();
      await keys.keys('Enter');
      await expect(bar.getByRole('status')).toHaveText('64 selected');
      await expect(bar.getByRole('button', { name: 'Mark as read' })).toBeFocused();
    };

    await keys.press(button(page, 'Select'));
    await selectEverything();
    await keys.press(bar.getByRole('button', { name: 'Mark as read' }));
    await expect(unreadList(page, 0)).toBeVisible();
    await expect(bar).toHaveCount(0);
    expect(await isFocusOn(page, 'main'), 'the focus stays in the content').toBe(true);
    await keys.keys('z');
    await expect(unreadList(page, 64)).toBeVisible();

    // Do the same from a row further down.
    await keys.keys('j', 'j', 'x');
    await expect(bar.getByRole('status')).toHaveText('1 selected');
    await selectEverything();
    await keys.press(bar.getByRole('button', { name: 'Delete' }));
    // More than fifty are deleted only after a question.
    await keys.press(page.getByRole('dialog').getByRole('button', { name: 'Delete' }));
    await expect(rows(page)).toHaveCount(0);
    await keys.keys('z');
    await expect(rows(page).first()).toBeVisible();
    await expect(unreadList(page, 64)).toBeVisible();
    await keys.keys('j', 'x');
    await selectEverything();
    await keys.press(bar.getByRole('button', { name: 'Delete' }));
    await keys.press(page.getByRole('dialog').getByRole('button', { name: 'Delete' }));
    await expect(rows(page)).toHaveCount(0);
    await page.reload();
    await expect(page.getByRole('heading', { name: 'Inbox' })).toBeVisible();
    await expect(unreadList(page, 0)).toBeVisible();
    await expect(rows(page)).toHaveCount(0);
    await keys.expectNoPointer();
  });

  test('by keyboard a user chooses preferences and quiet hours', async ({ page, world }) => {
    const keys = await createKeyboard(page);
    await world.enter(page, await world.newUser());
    await keys.press(
      page.getByRole('complementary', { name: 'Views' }).getByRole('link', { name: 'Preferences' }),
    );
    await expect(page.getByRole('heading', { name: 'Preferences' })).toBeFocused();
    const mentions = page.getByRole('group', { name: 'Mentions' }).getByRole('switch', { name: 'Email' });
    await keys.press(mentions, 'Space');
    await expect(mentions).not.toBeChecked();
    const email = page.getByRole('switch', { name: 'Email notifications' });
    await keys.to(email, 'Shift+Tab');
    await keys.keys('Space');
    await expect(page.getByText('No digest is sent')).toBeVisible();
    await keys.keys('Space');
    const often = page.getByRole('combobox', { name: 'How often' });
    await keys.to(often);
    await page.keyboard.type('Weekly');
    await expect(page.getByRole('combobox', { name: 'Day' })).toBeVisible();
    const quiet = page.getByRole('switch', { name: /^Pause alerts/ });
    await keys.press(quiet, 'Space');
    await keys.to(page.getByLabel('From'));
    await page.keyboard.type('0930PM');
    await expect(page.getByLabel('From')).toHaveValue('21:30');
    await keys.press(page.getByRole('checkbox', { name: 'Sunday' }), 'Space');
    await expect(page.getByRole('checkbox', { name: 'Sunday' })).not.toBeChecked();
    await page.reload();
    await expect(page.getByLabel('From')).toHaveValue('21:30');
    await expect(mentions).not.toBeChecked();
    await expect(page.getByRole('checkbox', { name: 'Sunday' })).not.toBeChecked();
    await keys.expectNoPointer();
  });

  test('by keyboard a user sets a name and a second factor, and ends another device', async ({
    page,
    browser,
    world,
  }) => {
    const keys = await createKeyboard(page);
    const person = await world.newUser();
    const other = await browser.newContext();
    await world.enter(await other.newPage(), person);
    await world.enter(page, person);
    await keys.press(button(page, /^Account menu/));
    await keys.press(page.getByRole('dialog').getByRole('link', { name: 'Account' }));
    await expect(page.getByRole('heading', { name: 'Account', exact: true })).toBeFocused();
    await keys.type(page.getByLabel('Name', { exact: true }), 'Ada Lovelace');
    await keys.keys('Enter');
    await expect(page.getByText('Saved.')).toBeVisible();

    await keys.press(button(page, 'Add an authenticator app'));
    const factor = page.getByRole('region', { name: 'Two-step sign-in', exact: true });
    await expect(factor.getByRole('img', { name: /^QR code/ })).toBeVisible();
    await keys.press(factor.getByText('Can’t scan it?'));
    const secret = (await factor.locator('code').innerText()).replaceAll(' ', '');
    await keys.type(page.getByLabel('Code from the app'), new OTPAuth.TOTP({ secret }).generate());
    await keys.press(button(page, 'Turn on'));
    await expect(page.getByText('Two-step sign-in is on.')).toBeVisible();
    expect(await isFocusOn(page, 'main'), 'the focus stays in the content').toBe(true);
    await keys.press(button(page, 'Remove: Phone'));
    await keys.press(page.getByRole('dialog').getByRole('button', { name: 'Remove' }));
    await expect(page.getByText('Removed “Phone”.')).toBeVisible();

    await keys.press(button(page, /^Sign out: |^Sign out .+ on /).first());
    await expect(page.getByText(/is signed out/)).toBeVisible();
    await keys.press(button(page, 'Sign out everywhere'));
    await keys.press(page.getByRole('dialog').getByRole('button', { name: 'Cancel' }));
    await expect(button(page, 'Sign out everywhere')).toBeFocused();
    await signOut(page, keys);
    await keys.expectNoPointer();
    await other.close();
  });

  test('by keyboard a user answers invitations', async ({ page, world }) => {
    const keys = await createKeyboard(page);
    const [ada, grace] = await world.newPair();
    const path = await invite(world, ada, grace.email, 'the garden plan');
    await invite(world, ada, grace.email, 'the seed list');
    await world.enter(page, grace);
    await keys.press(button(page, /^Account menu/));
    await keys.press(page.getByRole('dialog').getByRole('link', { name: 'Invitations' }));
    await expect(page.getByRole('heading', { name: 'Your invitations' })).toBeVisible();
    await keys.type(page.getByLabel('Link or code'), path);
    await keys.press(button(page, 'Continue'));
    await keys.press(button(page, 'Accept'));
    await expect(page.getByRole('heading', { name: 'Invitation accepted' })).toBeFocused();
    await page.goto(`${world.appUrl}/home`);
    await keys.press(button(page, /^Decline: /).first());
    await expect(page.getByText('Invitation declined').first()).toBeVisible();
    expect(await isFocusOn(page, 'main'), 'the focus stays in the content').toBe(true);
    await keys.expectNoPointer();
  });
});

function isFocusOn(page: Page, selector: string): Promise<boolean> {
  return page.evaluate((within) => document.activeElement?.closest(within) !== null, selector);
}
