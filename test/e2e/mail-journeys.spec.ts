import type { Page } from '@playwright/test';
import { expect, test } from './support/fixtures.ts';
import type { Person, World } from './support/fixtures.ts';
import { sendMails } from './support/send-mails.ts';

/** Runs a step that changes one preference and waits until it is saved. */
async function saving(page: Page, change: () => Promise<unknown>): Promise<void> {
  const saved = page.waitForResponse(
    (response) =>
      response.url().includes('notification_preferences') &&
      ['PATCH', 'POST'].includes(response.request().method()),
  );
  await change();
  expect((await saved).ok()).toBe(true);
}

const kindSwitch = (page: Page, kind: string, channel: string) =>
  page.getByRole('group', { name: kind }).getByRole('switch', { name: channel });

async function openPreferences(page: Page, world: World, person: Person): Promise<void> {
  await world.enter(page, person, '/preferences');
  await expect(page.getByRole('heading', { name: 'Preferences' })).toBeVisible();
}

test(
  'a digest of three kinds arrives in German at 08:00 in Vienna on the first day of summer time',
  { tag: ['@nightly', '@database', '@mailbox', '@functions'] },
  async ({ page, world, stage }) => {
    const [ada, grace] = await world.newPair();
    await openPreferences(page, world, ada);
    for (const [name, value] of [
      ['How often', 'daily'],
      ['Time', '8'],
      ['Time zone', 'Europe/Vienna'],
    ] as const) {
      const choice = page.getByRole('combobox', { name, exact: true });
      if ((await choice.inputValue()) !== value) await saving(page, () => choice.selectOption(value));
    }
    await expect(page.getByRole('combobox', { name: 'Time', exact: true })).toHaveValue('8');
    await stage.query(
      `update auth.users set raw_user_meta_data = raw_user_meta_data || '{"language": "de"}' where id = $1`,
      [ada.id],
    );

    for (const kind of ['mention', 'comment', 'invite'])
      await stage.query(
        `insert into notifications (recipient_id, sender_id, content, created_at) values ($1, $2, $3, $4)`,
        [
          ada.id,
          grace.id,
          JSON.stringify({
            type: kind,
            entity_type: 'document',
            entity_id: 'plan',
            metadata: { actor_id: grace.id, actor_name: 'Grace Hopper' },
            data: { entity_name: 'Frühlingsplan' },
          }),
          '2032-03-27T12:00:00+01:00',
        ],
      );
    const dueMs = Date.parse('2032-03-28T08:00:00+02:00');
    await sendMails(stage, dueMs - 1);
    expect(await world.mails(ada.email)).toEqual([]);
    await sendMails(stage, dueMs);
    const [mail, ...others] = await world.mails(ada.email);
    expect(others).toEqual([]);
    expect(mail?.subject).toBe('3 ungelesene Benachrichtigungen');

    // The application's policy forbids writing into its own document.
    await page.goto('about:blank');
    await page.setContent(mail?.body ?? '');
    await expect(page.getByRole('heading', { level: 2 })).toHaveText([
      'Erwähnungen',
      'Kommentare',
      'Einladungen',
    ]);
    await expect(page.getByText('27. März 2032 um 12:00')).toHaveCount(3);
    await page.getByRole('link', { name: 'Grace Hopper hat Frühlingsplan kommentiert' }).click();
    await page.waitForURL('**/home**');
    await expect(
      page.getByRole('dialog').or(page.getByRole('complementary')).getByText('Frühlingsplan').first(),
    ).toBeVisible();
  },
);

test(
  'a kind that is off for email is not mailed; one that is off in the app is only mailed',
  { tag: ['@nightly', '@mailbox', '@functions'] },
  async ({ page, world, stage }) => {
    const [ada, grace] = await world.newPair();
    await openPreferences(page, world, ada);
    await saving(page, () => page.getByRole('combobox', { name: 'How often' }).selectOption('instant'));
    await saving(page, () => kindSwitch(page, 'Mentions', 'Email').click());
    await saving(page, () => kindSwitch(page, 'Comments', 'In app').click());

    await world.notify(grace, ada, { kind: 'mention', about: 'Silent' });
    await world.notify(grace, ada, { kind: 'comment', about: 'Mailed' });
    await sendMails(stage);
    const subjects = (await world.mails(ada.email)).map(({ subject }) => subject);
    expect(subjects).toHaveLength(1);
    expect(subjects[0]).toContain('Mailed');
    await page.goto(`${world.appUrl}/home`);
    await expect(page.locator('main [data-id]')).toHaveCount(1);
    await expect(page.locator('main [data-id]')).toContainText('Silent');
  },
);

test(
  'an address that bounces is named in the preferences, and is retried on request',
  { tag: ['@nightly', '@faults', '@database', '@functions'] },
  async ({ page, world, stage }) => {
    const [ada, grace] = await world.newPair();
    const address = `${crypto.randomUUID()}@bounce.test`;
    await openPreferences(page, world, ada);
    await saving(page, () => page.getByRole('combobox', { name: 'How often' }).selectOption('instant'));
    await stage.query('update auth.users set email = $1 where id = $2', [address, ada.id]);
    await world.notify(grace, ada, { about: 'Plan' });
    await sendMails(stage);
    await page.reload();
    await expect(page.getByText(`Emails to ${address} couldn’t be delivered`)).toBeVisible();
    await page.getByRole('button', { name: 'Send emails again' }).click();
    await expect(page.getByText(`Emails to ${address} couldn’t be delivered`)).toBeHidden();
    await expect(page.getByRole('button', { name: 'Send me a test email' })).toBeVisible();
    expect(
      await stage.query(
        'select * from private.suppressed_addresses where address_hash = private.address_hash($1)',
        [address],
      ),
    ).toEqual([]);
  },
);

test(
  'a mail is sent at the end of the quiet hours',
  { tag: ['@nightly', '@database', '@mailbox', '@functions'] },
  async ({ page, world, stage }) => {
    const [ada, grace] = await world.newPair();
    await openPreferences(page, world, ada);
    await saving(page, () => page.getByRole('combobox', { name: 'How often' }).selectOption('instant'));
    await stage.query(
      `update notification_preferences set quiet_hours_start = '00:00', quiet_hours_end = '00:00', time_zone = 'UTC'
       where user_id = $1`,
      [ada.id],
    );
    await world.notify(grace, ada, { about: 'Night' });
    const [mail] = await stage.query<{ due_at: Date }>(
      'select due_at from private.notification_mails where recipient_id = $1',
      [ada.id],
    );
    const endMs = mail?.due_at.getTime() ?? 0;
    expect(endMs % 86_400_000).toBe(0);
    await sendMails(stage, endMs - 1);
    expect(await world.mails(ada.email)).toEqual([]);
    await sendMails(stage, endMs);
    expect(await world.mails(ada.email)).toHaveLength(1);
  },
);
