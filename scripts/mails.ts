/**
 * `npm run mails`: writes every variant of the notification mails as HTML and text into the git-ignored folder
 * `mail-previews`, with pictures at 320 and 640 px, light and dark.
 */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { chromium } from 'playwright-core';
import { renderMail } from '../supabase/functions/_shared/mail/render-mail.ts';
import type {
  QueuedItem,
  QueuedMail,
  SecurityEvent,
} from '../supabase/functions/_shared/mail/queued-mail.ts';
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
    count: 1,
    is_in_inbox: true,
  };
}

const hostile = `<script>alert(1)</script> & "quotes" ${'unbroken'.repeat(40)} \u202Eright to left`;
const oneMention = [createItem('mention', 1, 'Could you have a look at this before noon?')];
const everyKind = ['mention', 'message', 'comment', 'edit', 'invite', 'system'].flatMap((kind, index) => [
  createItem(kind, index * 2, 'This reads well now.'),
  createItem(kind, index * 2 + 1, null),
]);

type Variant = Pick<QueuedMail, 'topic' | 'frequency' | 'items' | 'item_count'> &
  Partial<Pick<QueuedMail, 'security_event'>>;

const securityVariant = (kind: SecurityEvent['kind']): Variant => ({
  topic: 'security:preview',
  frequency: 'daily',
  items: [],
  item_count: 0,
  security_event: {
    kind,
    detail: { user_agent: 'Mozilla/5.0 (Windows NT 10.0; rv:151.0) Firefox/151.0', ip: '192.0.2.7' },
    created_at: createdAt,
  },
});

const variants: Readonly<Record<string, Variant>> = {
  instant: { topic: 'thread:document:doc-1', frequency: 'instant', items: oneMention, item_count: 1 },
  'instant-many': {
    topic: 'thread:document:doc-1',
    frequency: 'instant',
    items: everyKind.slice(0, 4),
    item_count: 4,
  },
  digest: { topic: 'digest', frequency: 'daily', items: everyKind, item_count: everyKind.length },
  'digest-long': {
    topic: 'digest',
    frequency: 'weekly',
    items: everyKind.map((item, index) => Object.assign({}, item, { count: index === 0 ? 165 : 2 })),
    item_count: 240,
  },
  hostile: {
    topic: 'digest',
    frequency: 'hourly',
    items: [createItem('comment', 1, hostile)],
    item_count: 1,
  },
  test: { topic: 'test', frequency: 'daily', items: [], item_count: 0 },
  'new-device': securityVariant('new_device'),
  'recovery-code-used': securityVariant('recovery_code_used'),
  'recovery-codes-created': securityVariant('recovery_codes_created'),
  'passkey-added': securityVariant('passkey_added'),
  'passkey-removed': securityVariant('passkey_removed'),
};

const settings = {
  appUrl: 'http://localhost:5173',
  unsubscribeUrl: 'http://localhost:54321/functions/v1/unsubscribe',
  from: 'Tidings <notifications@inbox.test>',
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

async function writeVariant(name: string, language: string, variant: Variant): Promise<void> {
  const mail = renderMail(
    {
      security_event: null,
      ...variant,
      id: '00000000-0000-4000-8000-00000000000a',
      lease: '00000000-0000-4000-8000-00000000000b',
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
      await page.route('**/icon-192.png', (route) => route.fulfill({ path: 'public/icon-192.png' }));
      await page.setContent(mail.html, { waitUntil: 'load' });
      if (await page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth))
        tooWide.push(`${name} at ${width} px`);
      await page.screenshot({ path: `${folder}/${name}-${width}-${colorScheme}.png`, fullPage: true });
      await page.close();
    }
  }
}
