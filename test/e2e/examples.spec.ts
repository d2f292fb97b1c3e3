import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test, type Browser, type Page } from '@playwright/test';

/** The examples as `npm run examples` serves them, each in the browsers of two users. */
const port = 5921;
let stop = async () => {};

// One after another, because they share a server.
test.describe.configure({ mode: 'default' });

test.beforeAll(async () => {
  const server = spawn(process.execPath, ['--import', 'tsx', 'scripts/examples.ts'], {
    env: { ...process.env, EXAMPLES_PORT: String(port), SUPABASE_PORT: '5922' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  stop = async () => {
    server.kill('SIGTERM');
    await once(server, 'exit');
  };
  for await (const chunk of server.stdout) if (String(chunk).includes('Examples')) break;
});
test.afterAll(() => stop());

const open = async (browser: Browser, name: 'ada' | 'grace', example: string): Promise<Page> => {
  const page = await (await browser.newContext()).newPage();
  await page.goto(`http://localhost:${port}/?as=${name}#${example}`);
  await expect(page.getByText(`You are ${name}.`)).toBeVisible();
  return page;
};
const openBoth = async (browser: Browser, example: string) =>
  [await open(browser, 'ada', example), await open(browser, 'grace', example)] as const;

test(
  'online and typing: each user sees the other online and typing',
  { tag: ['@nightly', '@settings'] },
  async ({ browser }) => {
    const [ada, grace] = await openBoth(browser, 'typing');
    for (const page of [ada, grace]) await expect(page.getByRole('listitem')).toHaveText(['ada', 'grace']);
    await grace.getByRole('textbox', { name: 'Message' }).fill('Hello');
    await expect(ada.getByRole('listitem')).toHaveText(['ada', 'grace is typing…']);
    await grace.context().close();
    await expect(ada.getByRole('listitem')).toHaveText(['ada']);
  },
);

test(
  "cursors: each user sees the other's pointer",
  { tag: ['@nightly', '@settings'] },
  async ({ browser }) => {
    const [ada, grace] = await openBoth(browser, 'cursors');
    const point = async () => {
      await grace.mouse.move(200 + Math.random() * 50, 200);
      return ada.locator('.cursor').allTextContents();
    };
    await expect.poll(point).toEqual(['grace']);
  },
);

test(
  'chat: messages arrive, and a reload shows the history',
  { tag: ['@nightly', '@settings'] },
  async ({ browser }) => {
    const [ada, grace] = await openBoth(browser, 'chat');
    await grace.getByRole('textbox', { name: 'Message' }).fill('Lunch?');
    await grace.getByRole('button', { name: 'Send' }).click();
    await expect(ada.getByRole('listitem')).toHaveText(['grace Lunch?']);
    await ada.getByRole('textbox', { name: 'Message' }).fill('Yes');
    await ada.getByRole('button', { name: 'Send' }).click();
    await expect(grace.getByRole('listitem')).toHaveText(['grace Lunch?', 'ada Yes']);
    await ada.reload();
    await expect(ada.getByRole('listitem')).toHaveText(['grace Lunch?', 'ada Yes']);
  },
);

test(
  'workspace: members move between rooms, which keep their messages',
  { tag: ['@nightly', '@settings'] },
  async ({ browser }) => {
    const [ada, grace] = await openBoth(browser, 'workspace');
    await expect(ada.getByRole('complementary').getByRole('listitem')).toHaveText([
      'ada in general',
      'grace in general',
    ]);
    await grace.getByRole('button', { name: /random/ }).click();
    await expect(ada.getByRole('complementary').getByRole('listitem')).toHaveText([
      'ada in general',
      'grace in random',
    ]);
    await grace.getByRole('textbox', { name: 'Message' }).fill('Anyone here?');
    await grace.getByRole('button', { name: 'Send' }).click();
    await expect(ada.getByRole('list', { name: 'Messages' }).getByRole('listitem')).toHaveCount(0);
    await ada.getByRole('button', { name: /random/ }).click();
    await expect(ada.getByRole('list', { name: 'Messages' }).getByRole('listitem')).toHaveText([
      'grace Anyone here?',
    ]);
  },
);
