import type { Page } from '@playwright/test';
import { expectAccessible } from './support/accessibility.ts';
import { expect, test } from './support/fixtures.ts';
import { sendMails } from './support/send-mails.ts';
import type { Stage } from './support/stage.ts';

async function chooseInstant(page: Page, stage: Stage): Promise<void> {
  await page.goto(`${stage.appUrl}/preferences`);
  const saved = page.waitForResponse(
    (response) =>
      response.url().includes('notification_preferences') && response.request().method() === 'PATCH',
  );
  await page.getByRole('combobox', { name: 'How often' }).selectOption('instant');
  await saved;
  await expect(page.getByText(/after two minutes, unless you read it first/)).toBeVisible();
}

test(
  'an unread mention is mailed; its link opens it; a button unsubscribes and undoes',
  { tag: ['@database', '@mailbox', '@functions'] },
  async ({ page, world, stage }) => {
    const [ada, grace] = await world.newPair();
    const subjects = async () => (await world.mails(ada.email)).map(({ subject }) => subject);
    await world.enter(page, ada);
    await chooseInstant(page, stage);

    await world.notify(grace, ada, { about: 'Plan' });
    await page.goto(`${stage.appUrl}/home`);
    const row = page.locator('main [data-id]').first();
    await row.hover();
    await row.getByRole('button', { name: 'Mark as read' }).click();
    await expect(row.getByRole('button', { name: 'Mark as unread' })).toBeAttached();
    await expect
      .poll(async () => {
        const [found] = await stage.query('select status from notifications where recipient_id = $1', [
          ada.id,
        ]);
        return found;
      })
      .toEqual({ status: 'read' });
    await sendMails(stage);
    expect((await subjects()).filter((subject) => subject.includes('Plan'))).toEqual([]);

    await world.notify(grace, ada, { about: 'Budget' });
    await sendMails(stage);
    const mail = await world.mail(ada.email);
    expect(mail.subject).toContain('Budget');
    await page.goto(mail.links.find((link) => link.includes('?open=')) ?? '');
    await expect(
      page.getByRole('dialog').or(page.getByRole('complementary')).getByText('Budget').first(),
    ).toBeVisible();

    await page.goto(
      mail.links.find((link) => link.includes('/unsubscribe.html#') && link.includes('kind=mention')) ?? '',
    );
    await expect(page.getByRole('status')).toHaveText('Stop emails about mentions?');
    await expectAccessible(page, 'unsubscribe');
    await page.getByRole('button', { name: 'Unsubscribe', exact: true }).click();
    await expect(page.getByRole('status')).toHaveText('You no longer get emails about mentions.');
    await world.notify(grace, ada, { about: 'Silence' });
    await sendMails(stage);
    expect((await subjects()).filter((subject) => subject.includes('Silence'))).toEqual([]);

    await page.getByRole('button', { name: 'Undo' }).click();
    await expect(page.getByRole('status')).toHaveText('You’ll get emails about mentions again.');
    await world.notify(grace, ada, { about: 'Again' });
    await sendMails(stage);
    expect((await world.mail(ada.email)).subject).toContain('Again');
  },
);
