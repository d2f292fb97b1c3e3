import type { Page } from '@playwright/test';
import { expect, test, type Person, type World } from './support/fixtures.ts';

/** Invites from the inbox, and returns the link that the dialog shows. */
async function invite(page: Page, email: string): Promise<string> {
  await page.getByRole('button', { name: 'Invite', exact: true }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Email address').fill(email);
  await dialog.getByLabel('What for (optional)').fill('the garden plan');
  await dialog.getByRole('button', { name: 'Create link' }).click();
  await expect(dialog.getByRole('heading', { name: `Send this link to ${email}` })).toBeVisible();
  const link = await dialog.getByLabel('Invitation link').inputValue();
  await page.keyboard.press('Escape');
  return link;
}

/** Invites by a request, without the page. */
async function inviteByCall(world: World, inviter: Person, email: string): Promise<string> {
  const { json } = await world.rest.send('POST', '/rpc/create_invitation', {
    token: inviter.accessToken,
    body: { invitee_email: email, entity_name: 'the garden plan' },
  });
  return `/join/${(json as [{ token: string }])[0].token}`;
}

test(
  'an invitation notifies the invitee, and its acceptance the inviter',
  { tag: ['@nightly', '@database'] },
  async ({ page, browser, world }) => {
    const [ada, grace] = await world.newPair();
    await world.enter(page, ada);
    await invite(page, grace.email);

    const context = await browser.newContext();
    const graces = await context.newPage();
    await world.enter(graces, grace);
    await graces.getByRole('link', { name: /invited you to the garden plan/ }).click();
    await graces.getByRole('link', { name: 'Open the garden plan' }).click();
    await graces.waitForURL('**/join/*');
    await expect(graces.getByRole('heading', { name: /invites you to the garden plan/ })).toBeVisible();
    const [{ status } = { status: '' }] = await world.stage.query<{ status: string }>(
      'select status from public.invitations where invitee_email = $1',
      [grace.email],
    );
    expect(status, 'looking at it changes nothing').toBe('pending');
    await graces.getByRole('button', { name: 'Accept' }).click();
    await expect(graces.getByRole('heading', { name: 'Invitation accepted' })).toBeVisible();
    await expect(page.getByText(/accepted your invitation to the garden plan/)).toBeVisible();

    await graces.reload();
    await expect(
      graces.getByRole('heading', { name: 'Invitation accepted' }),
      'also when it is opened again',
    ).toBeVisible();
    await context.close();
  },
);

test(
  'a new user follows an invitation, signs up by mail, and accepts it',
  { tag: '@mailbox' },
  async ({ page, world }) => {
    const inviter = await world.newUser();
    const email = world.newEmail();
    await page.goto(world.appUrl + (await inviteByCall(world, inviter, email)));
    await expect(page.getByRole('heading', { name: /invites you to the garden plan/ })).toBeVisible();
    await page.getByRole('link', { name: 'Create account' }).click();
    await page.getByLabel('Email').fill(email);
    await page.getByLabel('Password', { exact: true }).fill('Correct-horse-12');
    await page.getByRole('button', { name: 'Create account' }).click();
    await world.followLink(page, email);
    await page.waitForURL('**/join/*');
    await page.getByRole('button', { name: 'Accept' }).click();
    await expect(page.getByRole('heading', { name: 'Invitation accepted' })).toBeVisible();
    expect((await world.notificationsOf(inviter)).length).toBe(1);
  },
);

test(
  'a user of another account can switch to the invited one, and returns to the invitation',
  { tag: '@nightly' },
  async ({ page, world }) => {
    const [ada, grace] = await world.newPair();
    const other = await world.newUser();
    const path = await inviteByCall(world, ada, grace.email);
    await world.enter(page, other, path);
    await expect(page.getByRole('heading', { name: 'This invitation is for another account' })).toBeVisible();
    await expect(page.getByText(grace.email), 'the address is not given away').toHaveCount(0);
    await page.getByRole('button', { name: 'Sign in with another account' }).click();
    await page.getByLabel('Email').fill(grace.email);
    await page.getByLabel('Password', { exact: true }).fill(grace.password);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.waitForURL(`**${path}`);
    await page.getByRole('button', { name: 'Decline' }).click();
    await expect(page.getByRole('heading', { name: 'Invitation declined' })).toBeVisible();
    expect((await world.notificationsOf(ada)).length).toBe(1);
  },
);

test(
  'an expired, an own and an unknown invitation show a message',
  { tag: ['@nightly', '@database'] },
  async ({ page, world }) => {
    const [ada, grace] = await world.newPair();
    const path = await inviteByCall(world, ada, grace.email);
    await world.enter(page, ada, path);
    await expect(page.getByRole('heading', { name: 'You sent this invitation' })).toBeVisible();

    await world.stage.query(
      "update public.invitations set expires_at = now() - interval '1 minute' where invitee_email = $1",
      [grace.email],
    );
    await world.enter(page, grace, path);
    await expect(page.getByRole('heading', { name: 'This invitation has expired' })).toBeVisible();
    await expect(page.getByRole('button', { name: 'Accept' })).toHaveCount(0);

    await page.goto(`${world.appUrl}/join/${'0'.repeat(32)}`);
    await expect(page.getByRole('heading', { name: 'We can’t find this invitation' })).toBeVisible();
    await page.getByRole('link', { name: 'Enter a link or code' }).click();
    await page.getByLabel('Link or code').fill(world.appUrl + path);
    await page.getByRole('button', { name: 'Continue' }).click();
    await expect(page.getByRole('heading', { name: 'This invitation has expired' })).toBeVisible();
  },
);
