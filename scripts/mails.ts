/**
 * `npm run mails`: writes every variant of the notification mails as HTML and text into the git-ignored folder
 * `mail-previews`, with pictures at 320 and 640 px, light and dark.
 */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { chromium } from 'playwright-core';
import { renderMail } from '../supabase/functions/_shared/mail/render-mail.ts';
import type { QueuedItem, QueuedMail } from '../supabase/functions/_shared/mail/queued-mail.ts';
import { browserArgs, findBrowser } from './browser.ts';

const folder = 'mail-previews';
const languages = ['en', 'de'];
const createdAt = '2027-01-15T10:00:00Z';

function createItem(kind: string, number: number, text: string | null): QueuedItem {
  return {
    id: `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`,
    kind,
    content: {
      entity_type: 'document',
      entity_id: `doc-${number % 2}`,
      metadata: { actor_name: 'Grace Hopper' },
      data: {
        entity_name: number % 2 === 0 ? 'Compiler notes' : 'Analytical Engine',
        ...(text !== null && { text }),
      },
    },
    created_at: createdAt,
    is_in_inbox: true,
  };
}

const hostile = `<script>alert(1)</script> & "quotes" ${'unbroken'.repeat(40)} \u202Eright to left`;
const oneMention = [createItem('mention', 1, 'Could you have a look at this before noon?')];
const everyKind = ['mention', 'message', 'comment', 'edit', 'invite', 'system'].flatMap((kind, index) => [
  createItem(kind, index * 2, 'This reads well now.'),
  createItem(kind, index * 2 + 1, null),
]);

const variants: Readonly<Record<string, Pick<QueuedMail, 'topic' | 'frequency' | 'items' | 'item_count'>>> = {
  instant: { topic: 'thread:document:doc-1', frequency: 'instant', items: oneMention, item_count: 1 },
  'instant-many': {
    topic: 'thread:document:doc-1',
    frequency: 'instant',
    items: everyKind.slice(0, 4),
    item_count: 4,
  },
  digest: { topic: 'digest', frequency: 'daily', items: everyKind, item_count: everyKind.length },
  'digest-long': { topic: 'digest', frequency: 'weekly', items: everyKind, item_count: 240 },
  hostile: {
    topic: 'digest',
    frequency: 'hourly',
    items: [createItem('comment', 1, hostile)],
    item_count: 1,
  },
  test: { topic: 'test', frequency: 'daily', items: [], item_count: 0 },
};

const settings = {
  appUrl: 'http://localhost:5173',
  unsubscribeUrl: 'http://localhost:54321/functions/v1/unsubscribe',
  from: 'Inbox <notifications@inbox.test>',
  domain: 'inbox.test',
};

await rm(folder, { recursive: true, force: true });
await mkdir(folder, { recursive: true });
const browser = await chromium.launch({ executablePath: findBrowser(), args: [...browserArgs] });
const tooWide: string[] = [];
try {
  for (const language of languages) {
    for (const [name, variant] of Object.entries(variants))
      await writeVariant(`${name}-${language}`, language, variant);
  }
} finally {
  await browser.close();
}
console.log(`Written to ${folder}/`);
if (tooWide.length > 0) {
  console.error(`Wider than the window: ${tooWide.join(', ')}`);
  process.exitCode = 1;
}

async function writeVariant(
  name: string,
  language: string,
  variant: Pick<QueuedMail, 'topic' | 'frequency' | 'items' | 'item_count'>,
): Promise<void> {
  const mail = renderMail(
    {
      ...variant,
      id: '00000000-0000-4000-8000-00000000000a',
      lease: '00000000-0000-4000-8000-00000000000b',
      lease_until: createdAt,
      thread_id: 'preview',
      due_at: createdAt,
      address: 'ada@example.com',
      name: 'Ada Lovelace',
      language,
      time_zone: 'Europe/Vienna',
      unsubscribe_token: 'preview',
    },
    settings,
  );
  await writeFile(`${folder}/${name}.html`, mail.html);
  await writeFile(`${folder}/${name}.txt`, `Subject: ${mail.subject}\n\n${mail.text}`);
  for (const width of [320, 640]) {
    for (const colorScheme of ['light', 'dark'] as const) {
      const page = await browser.newPage({ viewport: { width, height: 640 }, colorScheme });
      await page.setContent(mail.html);
      if (await page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth))
        tooWide.push(`${name} at ${width} px`);
      await page.screenshot({ path: `${folder}/${name}-${width}-${colorScheme}.png`, fullPage: true });
      await page.close();
    }
  }
}
