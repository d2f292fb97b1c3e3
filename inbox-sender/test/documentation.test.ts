import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { createSender } from 'inbox-sender';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ada, grace, useLocalSupabase } from '../../test/support/local-supabase.ts';

const supabase = useLocalSupabase({ port: 0 });
const page = await readFile(fileURLToPath(new URL('../../docs/inbox/sending.md', import.meta.url)), 'utf8');
const blocksOf = (section: string, language: string) =>
  [...section.matchAll(/```(\w+)\n([\s\S]*?)```/g)].flatMap(([, found, code = '']) =>
    found === language ? [code] : [],
  );
const examples = page
  .split(/^\*\*(?=\d+\. )/m)
  .slice(1)
  .map((section) => section.split(/^## /m)[0] ?? '');
const titleOf = (section: string) => section.split('**')[0] ?? '';

const received = async () =>
  (await supabase().database.query<{ content: string }>('select content from notifications')).map(
    ({ content }) => (JSON.parse(content) as { data: { text: string } }).data.text,
  );

beforeAll(() =>
  supabase().database.query(
    'insert into notification_preferences (user_id, in_app_comments, email_comments) values ($1, false, false)',
    [grace.id],
  ),
);
afterEach(() => supabase().database.exec('delete from notifications; delete from private.messages'));

it('the page has twelve examples', () => expect(examples).toHaveLength(12));

describe('the example', () => {
  it.each(
    examples
      .filter((section) => blocksOf(section, 'js').length > 0)
      .map((section) => [titleOf(section), section]),
  )('%s prints what the page says', async (_, section) => {
    const { database, url, secretKey } = supabase();
    const sender = createSender({ url, secretKey });
    const [{ count } = { count: 0 }] = await database.query<{ count: number }>(
      'select count(*)::int as count from auth.users',
    );
    for (const sql of blocksOf(section, 'sql')) await database.exec(sql);
    const printed: string[] = [];
    const show = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));
    const tools = {
      sender,
      adaId: ada.id,
      graceId: grace.id,
      accountCount: count,
      nameOf: (id: string) => (id === ada.id ? 'Ada' : 'Grace'),
      delivered: (id: string) => expect.poll(async () => (await sender.status(id)).state).toBe('delivered'),
      console: { log: (...values: unknown[]) => printed.push(values.map(show).join(' ').trim()) },
    };
    const [code = ''] = blocksOf(section, 'js');
    const source = `export default async ({ ${Object.keys(tools).join(', ')} }) => {${code}}`;
    const example = (await import(
      /* @vite-ignore */ `data:text/javascript,${encodeURIComponent(source)}`
    )) as {
      default: (given: typeof tools) => Promise<void>;
    };
    await example.default(tools);
    expect(printed).toEqual([...code.matchAll(/^\/\/ → (.*)$/gm)].map(([, line = '']) => line));
  });

  it('without TypeScript sends by HTTP and in SQL', async () => {
    const section = examples.at(-1) ?? '';
    const { database, url, secretKey, fetch } = supabase();
    const [command = ''] = blocksOf(section, 'sh');
    const filled = command.replaceAll('$SUPABASE_URL', url).replaceAll('$SUPABASE_SECRET_KEY', secretKey);
    const words = [...filled.matchAll(/'([^']*)'|"([^"]*)"|([^\s\\]+)/g)].map(
      (word) => word.slice(1).find(Boolean) ?? '',
    );
    const after = (option: string) => words.filter((_, place) => words[place - 1] === option);
    const response = await fetch(words[1] ?? '', {
      method: 'POST',
      headers: Object.fromEntries(after('-H').map((header) => header.split(': ') as [string, string])),
      body: after('-d')[0] ?? '',
    });
    expect(response.status).toBe(200);
    for (const sql of blocksOf(section, 'sql')) await database.exec(sql);
    expect((await received()).toSorted()).toEqual(['From SQL', 'From curl']);
  });
});
