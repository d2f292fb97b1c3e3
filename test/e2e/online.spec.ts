import type { Page } from '@playwright/test';
import { expect, test, type Person, type World } from './support/fixtures.ts';

const withinMs = 8_000;
const row = (page: Page) => page.locator('main [data-id]').first();
const dot = (page: Page) => row(page).getByRole('img', { name: 'Online' });

/** The inviter, and an invitee who has accepted. */
async function newContacts(world: World): Promise<readonly [Person, Person]> {
  const [inviter, invitee] = await world.newPair();
  const made = await world.rest.send('POST', '/rpc/create_invitation', {
    token: inviter.accessToken,
    body: { invitee_email: invitee.email },
  });
  const [{ token }] = made.json as [{ token: string }];
  const { status } = await world.rest.send('POST', '/rpc/accept_invitation', {
    token: invitee.accessToken,
    body: { token },
  });
  expect(status).toBe(200);
  return [inviter, invitee];
}

test(
  'a contact is seen to come online, and to go with the last tab or by the switch',
  { tag: '@nightly' },
  async ({ page, browser, world }) => {
    const [ada, grace] = await newContacts(world);
    await world.notify(grace, ada, { about: 'Plan' });
    const network: string[] = [];
    page.on('request', (request) => network.push(`sent ${new URL(request.url()).pathname}`));
    page.on('requestfinished', (request) => network.push(`answered ${new URL(request.url()).pathname}`));
    await world.enter(page, ada);
    await expect(row(page)).toBeVisible();

    const elsewhere = await browser.newContext({ serviceWorkers: 'block' });
    const first = await elsewhere.newPage();
    await world.enter(first, grace);
    await expect(dot(page)).toBeVisible({ timeout: withinMs });
    await row(page).getByRole('link').first().click();
    await expect(page.getByRole('complementary').getByText('Online')).toBeVisible();
    const listed = network.indexOf('answered /rest/v1/notifications');
    expect(listed).toBeGreaterThan(-1);
    expect(
      network.indexOf('sent /rest/v1/rpc/online_topics'),
      'nothing of it before the first list',
    ).toBeGreaterThan(listed);

    const second = await elsewhere.newPage();
    await second.goto(`${world.appUrl}/preferences`);
    await second.getByRole('switch', { name: 'Show when I’m online' }).click();
    await expect(dot(page)).toBeHidden({ timeout: withinMs });
    await expect(page.getByRole('complementary').getByText('Online')).toBeHidden();
    await second.getByRole('switch', { name: 'Show when I’m online' }).click();
    // After a reload only the server knows who is online: one tab of any page is enough.
    await first.close();
    await page.reload();
    await expect(dot(page)).toBeVisible({ timeout: withinMs });

    await elsewhere.close();
    await expect(dot(page)).toBeHidden({ timeout: withinMs });
    expect(world.stage.supabase.realtime.statistics.sockets, 'one websocket per browser').toBe(1);
  },
);
