import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { findJourneys, formatLeftOut } from '../../scripts/project-journeys.ts';
import { findUnmetNeeds, findWrongTags, journeyNeeds } from '../e2e/support/needs.ts';

const everything = { hasDatabase: true, hasMailbox: true, hasFunctions: true, hasRecoveryCodes: true };

describe('findUnmetNeeds', () => {
  it('leaves out what only the embedded server can do, on every project', () => {
    expect(findUnmetNeeds(everything)).toEqual([
      '@clock',
      '@faults',
      '@sockets',
      '@pictures',
      '@settings',
      '@provider',
    ]);
  });

  it.each([
    ['hasDatabase', ['@database']],
    ['hasMailbox', ['@mailbox', '@functions']],
    ['hasFunctions', ['@functions']],
    ['hasRecoveryCodes', ['@recovery-codes']],
  ] as const)('without %s leaves out %j, too', (part, needs) => {
    const always = findUnmetNeeds(everything);
    expect(findUnmetNeeds({ ...everything, [part]: false })).toEqual([...always, ...needs]);
  });
});

describe('findWrongTags', () => {
  it('accepts tags that name what was used', () => {
    expect(findWrongTags(['@nightly'], new Set(), true)).toEqual([]);
    expect(findWrongTags(['@clock', '@mailbox'], new Set(['embedded', '@mailbox']), true)).toEqual([]);
  });

  it('names a part that was used without its tag', () => {
    expect(findWrongTags(['@nightly'], new Set(['@database']), true)).toEqual([
      'It needs the tag @database.',
    ]);
    expect(findWrongTags(['@mailbox'], new Set(['@mailbox', 'embedded']), true)).toHaveLength(1);
  });

  it('names a tag that a whole journey did not use, and none of one that was cut short', () => {
    expect(findWrongTags(['@mailbox'], new Set(), true)).toEqual(['It does not need its tag @mailbox.']);
    expect(findWrongTags(['@mailbox'], new Set(), false)).toEqual([]);
  });
});

describe('the list of what is left out', () => {
  const list = {
    suites: [
      {
        specs: [
          { title: 'reads', file: 'inbox.spec.ts', tags: [] },
          { title: 'waits', file: 'links.spec.ts', tags: ['nightly', 'clock', 'mailbox'] },
        ],
        suites: [{ specs: [{ title: 'mails', file: 'links.spec.ts', tags: ['mailbox'] }] }],
      },
    ],
  };

  it('names each journey once, below its first reason', () => {
    const journeys = findJourneys(list);
    expect(journeys.map(({ title }) => title)).toEqual(['reads', 'waits', 'mails']);
    expect(formatLeftOut(journeys, ['@clock', '@mailbox'])).toBe(
      [
        `@clock: ${journeyNeeds['@clock']}`,
        '  links.spec.ts: waits',
        `@mailbox: ${journeyNeeds['@mailbox']}`,
        '  links.spec.ts: mails',
      ].join('\n'),
    );
  });

  it('counts the journeys of a file instead of listing more than ten', () => {
    const many = Array.from({ length: 11 }, (_, index) => ({
      title: `picture ${index}`,
      file: 'overflow.spec.ts',
      tags: ['@pictures'],
    }));
    expect(formatLeftOut(many, ['@pictures'])).toContain('  overflow.spec.ts: 11 journeys');
  });
});

it('the page lists every tag', () => {
  const page = readFileSync('docs/inbox/journeys.md', 'utf8');
  const listed = [...page.matchAll(/^\| `(@[\w-]+)` \|/gm)].map(([, tag]) => tag);
  expect(listed).toEqual(Object.keys(journeyNeeds));
});
