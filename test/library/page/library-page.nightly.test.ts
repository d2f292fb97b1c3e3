import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { libraryEntries, libraryName } from '../../../scripts/library/library-entries.ts';
import { ada, seedPassword, useLocalSupabase } from '../../support/local-supabase.ts';
import { parseExamples, readExamples } from '../examples.ts';
import type { ExampleRun } from './runner.tsx';

const root = fileURLToPath(new URL('../../..', import.meta.url));
/** The pages whose examples run, in this order: an earlier one may leave the session of a later one. */
const pageNames = [
  'index',
  'lazy-loading',
  'react',
  'node',
  'plain-page',
  'servers',
  'headers-and-logs',
  'queries',
  'live-lists',
  'links-and-providers',
  'sign-in-methods',
  'passkeys',
  'files-and-functions',
  'admin',
  'react-native',
  'broadcast-and-presence',
  'errors',
  'testing',
];
const pages = await Promise.all(
  pageNames.map(async (name) => ({
    name,
    text: await readFile(join(root, `docs/clients/${name}.md`), 'utf8'),
  })),
);
const supabase = useLocalSupabase({
  port: 0,
  functions: {
    greet: async (request) => Response.json({ hello: ((await request.json()) as { name: string }).name }),
  },
});

/** The examples with the page that contains them; also the script of a page without a bundler. */
const all = pages.flatMap(({ name, text }) =>
  parseExamples(name, text)
    .map(({ extension, code }) => ({ page: name, extension, code }))
    .concat(
      Array.from(text.matchAll(/```html\n<script type="module">\n([^]*?)<\/script>/g), ([, code = '']) => ({
        page: name,
        extension: 'ts',
        code: code
          .replace("'./browser.js'", `'${libraryName}/browser.js'`)
          .replace("'https://project.example'", 'url')
          .replace("'sb_publishable_…'", 'apiKey'),
      })),
    ),
);

/**
 * Test files run in the test runner, other examples in the process of runner.tsx, the one of Playwright in
 * examples.nightly.test.ts of the local Supabase.
 */
const imports = (name: string) => (example: (typeof all)[number]) => example.code.includes(`from '${name}'`);
const tests = all.filter(imports('vitest'));
const examples = all.filter(
  (example) => !imports('vitest')(example) && !imports('@playwright/test')(example),
);

/** What the examples of a page print, in order: one that prints nothing where it should has not run. */
const prints: Readonly<Record<string, readonly (readonly RegExp[])[]>> = {
  react: [[/^Sign out$/]],
  node: [[/^\[\{"id":/], []],
  'plain-page': [[/^\[/]],
  servers: [
    [/^303$/, /^ada@example\.com: \d+ unread$/],
    [/^303$/, /^\{"unread":\d+\}$/],
    [/^\{"caller":"user","user":"ada00000-/],
    [/^true$/],
  ],
  queries: [[/invited.* 1$/], [/^\d+ \w+$/]],
  admin: [[/^\d+$/], [/^http.*verify/, /linus@example\.com/]],
  'react-native': [[/^signed-in$/]],
  'live-lists': [[/^\[\d+,null\]$/], [/^\[\d+,null\]$/], [], [/^\d+ unread$/]],
  'sign-in-methods': [[/^https?:.*/, /^[a-z0-9_]+$/]],
  'files-and-functions': [[/^Hello http.*avatars\/ada\.txt$/, /^\{"hello":"Ada"\}$/]],
  'links-and-providers': [[], [], [], [], [], [/^ada00000-\S+ authenticated$/]],
  'headers-and-logs': [
    [],
    [/^auth: POST \/auth\/v1\/token 200$/, /^rest: HEAD \/rest\/v1\/notifications 20\d$/, /^socket closed$/],
  ],
  errors: [[/^E-?mail or password is wrong$/i]],
};

let folder: string;
let runs: readonly ExampleRun[] = [];

beforeAll(async () => {
  const { url, anonKey, serviceRoleKey, database } = supabase();
  await database.exec(`
    create policy everything on realtime.messages for all to authenticated using (true) with check (true);
    create policy everything on storage.buckets for all to authenticated using (true) with check (true);
    create policy everything on storage.objects for all to authenticated using (true) with check (true);
    insert into storage.buckets (id, name, public) values ('avatars', 'avatars', true);
    insert into public.notifications (recipient_id, content) values ('${ada.id}', '{"text": "You are invited"}');
  `);
  folder = await mkdtemp(join(tmpdir(), 'library-page-'));
  await mkdir(join(folder, 'node_modules'));
  for (const name of [
    'react',
    'react-dom',
    'ws',
    'jose',
    '@noble',
    'jsdom',
    'zod',
    'vitest',
    'local-supabase',
    'hono',
    '@tanstack',
    '@types',
  ])
    await symlink(join(root, 'node_modules', name), join(folder, 'node_modules', name));
  await symlink(inject('library').folder, join(folder, 'node_modules', libraryName));
  await symlink(join(root, 'supabase'), join(folder, 'supabase'));
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  await writeFile(join(folder, 'tsconfig.json'), '{ "compilerOptions": { "jsx": "react-jsx" } }');
  await cp(join(root, 'test/library/page/runner.tsx'), join(folder, 'runner.tsx'));
  for (const [index, { extension, code }] of examples.entries())
    await writeFile(join(folder, `example-${index}.${extension}`), `${code}\nexport {};\n`);
  const instructions = {
    url,
    apiKey: anonKey,
    userId: ada.id,
    email: ada.email,
    password: seedPassword,
    examples: examples.map(({ page, extension }, index) => ({
      file: `./example-${index}.${extension}`,
      page,
    })),
  };
  const tsx = join(root, 'node_modules/tsx/dist/loader.mjs');
  const { output } = await runNode(['--import', tsx, 'runner.tsx'], {
    INSTRUCTIONS: JSON.stringify(instructions),
    SUPABASE_SECRET_KEY: serviceRoleKey,
  });
  runs = output
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as ExampleRun);
  if (runs.length < examples.length) throw new Error(output);
}, 120_000);
afterAll(() => rm(folder, { recursive: true }));

describe('the examples of docs/clients', () => {
  it.each(examples.map(({ page }, index) => [page, index] as const))('of %s run (%i)', (_page, index) => {
    expect(runs[index]?.failure).toBeNull();
  });

  it.each(tests)('of $page pass in vitest', async ({ code }) => {
    const file = join(folder, 'example.test.ts');
    await writeFile(file, code);
    const vitest = join(root, 'node_modules/vitest/vitest.mjs');
    const { status, output } = await runNode([vitest, 'run', '--root', folder, file]);
    expect(output).toMatch(/Tests +1 passed/);
    expect(status).toBe(0);
  });

  it.each(Object.entries(prints))('of %s print the expected lines', (page, expected) => {
    const found = runs.filter((run) => run.page === page).map(({ printed }) => printed);
    // An earlier example that listens to the session may print in between.
    const missing = expected.map((patterns, index) =>
      patterns.filter((pattern) => !found[index]?.some((line) => pattern.test(line))),
    );
    expect({ missing, found }).toEqual({ missing: expected.map(() => []), found });
  });
});

describe('an entry of the library', () => {
  const folders = ['src/inbox/app', 'src/inbox/features', 'src/inbox/shared', 'examples', 'test/consumers'];
  const sources = [
    ...folders.flatMap((each) =>
      readdirSync(join(root, each), { recursive: true, encoding: 'utf8' })
        .filter((name) => /\.tsx?$/.test(name) && !name.includes('.test.'))
        .map((name) => join(root, each, name)),
    ),
    join(root, 'src/inbox/main.tsx'),
  ].map((path) => readFileSync(path, 'utf8'));
  const pageCode = readExamples(root, ['docs/clients']).map(({ code }) => code);

  it.each(Object.entries(libraryEntries))(
    '%s is used: by the application, an example or a consumer',
    (entry, file) => {
      const isImported = [...sources, ...pageCode].some(
        (code) => code.includes(`/${file}.ts'`) || code.includes(`'${libraryName}${entry.slice(1)}'`),
      );
      expect(isImported).toBe(true);
    },
  );
});

async function runNode(parameters: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const child = spawn(process.execPath, parameters, {
    cwd: folder,
    env: { ...process.env, NODE_ENV: 'development', NO_COLOR: '1', ...env },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const status = await new Promise<number | null>((resolve) => child.once('exit', resolve));
  return { status, output };
}
