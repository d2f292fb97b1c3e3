import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { DefaultTheme } from 'vitepress';
import { pagePath } from './repository-links.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

interface Section {
  readonly title: string;
  /** The first segment of its pages' paths. */
  readonly folder: string;
  /** The files of its pages, relative to the repository's root, in reading order. */
  readonly groups: readonly { readonly title: string; readonly files: readonly string[] }[];
}

interface Page {
  readonly file: string;
  readonly title: string;
  /** The first sentence; empty if a page begins with something else. */
  readonly about: string;
  readonly link: string;
}

export const summary =
  'Typed clients of Supabase without the vendor’s SDK, a Supabase that runs in one process without Docker, audits that judge any server or client, and a notification inbox that is built on all three.';

const inFolder = (folder: string, names: string) => names.split(' ').map((name) => `${folder}/${name}.md`);
const clients = (names: string) => inFolder('docs/clients', names);
const inbox = (names: string) => inFolder('docs/inbox', names);

/** The four parts, in the order of the navigation. */
export const sections: readonly Section[] = [
  {
    title: 'Clients',
    folder: 'clients',
    groups: [
      { title: 'Begin', files: clients('index vite queries live-lists errors error-codes troubleshooting') },
      {
        title: 'Where it runs',
        files: clients(
          'react frameworks node servers self-hosted next react-native plain-page service-worker lazy-loading',
        ),
      },
      {
        title: 'Tasks',
        files: clients(
          'links-and-providers passkeys second-factors sign-in-methods oauth-server files-and-functions broadcast-and-presence admin headers-and-logs testing',
        ),
      },
      { title: 'From supabase-js', files: clients('migrating compat differences') },
      { title: 'Reference', files: clients('entries performance session-life agents versioning glossary') },
    ],
  },
  {
    title: 'Local Supabase',
    folder: 'local-supabase',
    groups: [
      { title: 'Begin', files: ['docs/local-supabase/index.md'] },
      {
        title: 'Tasks',
        files: [
          'local-supabase/docs/for-your-project.md',
          'local-supabase/docs/with-the-vendors-cli.md',
          'docs/local-supabase/rls-tests.md',
          ...inFolder('local-supabase/docs', 'commands in-a-browser'),
        ],
      },
      {
        title: 'Reference',
        files: inFolder(
          'local-supabase/docs',
          'embedded-supabase environments foreign-projects comparison measurements',
        ),
      },
    ],
  },
  {
    title: 'Conformance',
    folder: 'conformance',
    groups: [
      { title: 'Begin', files: ['docs/conformance/index.md', 'docs/conformance/ci.md'] },
      {
        title: 'Reference',
        files: [
          ...inFolder('conformance/docs', 'audits mutants clients real-services'),
          ...inFolder('conformance/protocol', 'auth rest storage realtime product'),
        ],
      },
    ],
  },
  {
    title: 'The inbox',
    folder: 'inbox',
    groups: [
      { title: 'Begin', files: inbox('index sending') },
      {
        title: 'Run it',
        files: inbox(
          'hosting browsers journeys operations scale provider-responses what-protects-what sign-in-states inbox-states looks',
        ),
      },
      { title: 'Change it', files: inbox('how-to notification-life') },
    ],
  },
];

export function pagesOf({ groups }: Section): readonly Page[] {
  return groups.flatMap(({ files }) => files).map(readPage);
}

export function sidebarOf({ groups }: Section): DefaultTheme.SidebarItem[] {
  return groups.map(({ title, files }) => ({
    text: title,
    items: files.map(readPage).map((page) => ({ text: page.title, link: page.link })),
  }));
}

function readPage(file: string): Page {
  if (!existsSync(join(root, file)))
    throw new Error(`docs/.vitepress/sections.ts lists ${file}, which does not exist`);
  const text = readFileSync(join(root, file), 'utf8');
  const paragraph = /^# .+\n+((?:[A-Z`].*\n)+)/m.exec(text)?.[1]?.replaceAll('\n', ' ') ?? '';
  return {
    file,
    title: /^# (.+)$/m.exec(text)?.[1] ?? file,
    about: (/^.+?[.](?= |$)/.exec(paragraph.trim())?.[0] ?? '').replaceAll(/\[([^\]]+)\]\([^)]+\)/g, '$1'),
    link: `/${pagePath(file) ?? ''}`,
  };
}

/** The pages of `npm run docs:api`, one per entry; empty before it has run. */
export function apiSidebar(): DefaultTheme.SidebarItem[] {
  const index = 'docs/api/index.md';
  if (!existsSync(join(root, index))) return [];
  const pages = readFileSync(join(root, index), 'utf8').matchAll(/^- \[(\S+)\]\((\S+)\.md\)$/gm);
  return [
    {
      text: 'Entries of the clients',
      items: Array.from(pages, ([, name = '', path = '']) => ({
        text: name.replace(/^[\w-]+\/?/, './'),
        link: `/api/${path}`,
      })),
    },
  ];
}
