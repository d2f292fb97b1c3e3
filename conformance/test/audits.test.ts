import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { auditsPage, formatAuditList } from '../scripts/audit-list.ts';
import { audits, chooseAudits } from '../src/audits/audits.ts';
import { parseKnownFailing } from '../src/runner/known-failing.ts';
import { suiteVersion } from '../src/reports/report.ts';
import { readSection, readSections } from '../src/audit/sources.ts';
import { clientMutants } from './mutants/client-mutants.ts';

const documents = ['auth', 'rest', 'realtime', 'storage', 'product'].map((name) => `protocol/${name}.md`);

describe('the audits', () => {
  it('each audit has its own id', () => {
    expect(new Set(audits.map(({ id }) => id)).size).toBe(audits.length);
  });

  it('an id keeps its level, version and statement: a change of this snapshot needs a new id', () => {
    expect(audits.map(({ id, level, since, title }) => `${id} ${level} ${since} ${title}`)).toMatchSnapshot();
  });

  it('the suite has the version of its package, and no audit has a later one', () => {
    const manifest = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
    expect(JSON.parse(manifest)).toMatchObject({ version: suiteVersion });
    const compare = new Intl.Collator('en', { numeric: true }).compare;
    expect(audits.filter(({ since }) => compare(since, suiteVersion) > 0)).toEqual([]);
  });

  it('an assertion is a sentence: the audits use no bare assertions', () => {
    const source = new URL('../src/', import.meta.url);
    const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.audits.ts'),
    );
    const bare = files.filter((name) =>
      /from '(?:node:)?assert|throw new (?:Type)?Error\(/.test(readFileSync(new URL(name, source), 'utf8')),
    );
    expect(files.length).toBeGreaterThan(40);
    expect(bare).toEqual([]);
  });

  it('docs/audits.md lists the current audits (npm run docs:audits)', async () => {
    const page = await readFile(new URL(`../${auditsPage}`, import.meta.url), 'utf8');
    expect(page).toBe(formatAuditList());
  });
});

describe('the sources of the audits', () => {
  it('each audit cites a section of the committed documents, which names a public source', () => {
    const unsourced = audits.filter(({ source }) => readSection(source).publicSources.length === 0);
    expect(unsourced.map(({ id }) => id)).toEqual([]);
  });

  it('each cited section states what breaks for users', () => {
    const silent = audits.filter(({ source }) => !/^[A-Z].+\.$/.test(readSection(source).breaks));
    expect(silent.map(({ source }) => source)).toEqual([]);
  });

  it('a missing section is refused', () => {
    expect(() => readSection('protocol/auth.md#no-such-section')).toThrow('has no section #no-such-section');
  });

  it('a public source is a page of the web or a file of this repository', () => {
    const sections = documents.flatMap((document) => [...readSections(document).values()]);
    const targets = sections
      .flatMap(({ publicSources }) => publicSources)
      .map(({ url }) => new URL(url, new URL('../protocol/', import.meta.url)));
    const unresolved = targets.filter(
      (target) => target.protocol !== 'https:' && !(target.protocol === 'file:' && existsSync(target)),
    );
    expect(unresolved.map(({ href }) => href)).toEqual([]);
  });

  it('a source file of a service is cited at a fixed version, not at a branch', () => {
    const texts = documents.map((document) =>
      readFileSync(new URL(`../${document}`, import.meta.url), 'utf8'),
    );
    expect(texts.join().match(/github\.com\/[\w-]+\/[\w-]+\/(?:blob|tree)\/(?:main|master)/)).toBeNull();
  });

  it('a section that a comment or a page of the repository cites exists', () => {
    const found = execFileSync(
      'git',
      [
        'grep',
        '-hoE',
        'protocol/(auth|rest|realtime|storage|product)\\.md(#[a-z0-9-]+)?',
        '--',
        '*.ts',
        '*.tsx',
        '*.md',
        '*.sql',
        ':!conformance/test',
      ],
      { encoding: 'utf8', cwd: new URL('../..', import.meta.url) },
    );
    const missing = [...new Set(found.trim().split('\n'))].filter((citation) => {
      const [document = '', anchor] = citation.split('#');
      return anchor !== undefined && !readSections(document).has(anchor);
    });
    expect(missing).toEqual([]);
  });
});

describe('the choice of audits', () => {
  const areasOf = (choice: Parameters<typeof chooseAudits>[0]) =>
    new Set(chooseAudits(choice).map(({ area }) => area));

  it('a choice selects both sets of a service, one of them, or all', () => {
    expect(areasOf({ only: 'auth' })).toEqual(new Set(['auth', 'auth-client']));
    expect(areasOf({ only: 'auth', set: 'server' })).toEqual(new Set(['auth']));
    expect(areasOf({ only: 'auth-client' })).toEqual(new Set(['auth-client']));
    expect(chooseAudits({})).toEqual(audits);
  });

  it('a choice selects one audit by its id', () => {
    expect(chooseAudits({ only: 'AUTH-101' }).map(({ id }) => id)).toEqual(['AUTH-101']);
  });

  it('a choice combines areas and ids', () => {
    const chosen = chooseAudits({ only: 'rest, AUTH-101', set: 'server' });
    expect(chosen).toEqual(audits.filter(({ area, id }) => area === 'rest' || id === 'AUTH-101'));
  });

  it('a name without audits is refused beside names that have some', () => {
    expect(() => chooseAudits({ only: 'AUTH-101,AUTH-9999' })).toThrow('no audits are named AUTH-9999.');
  });

  it('an empty choice is refused with a list of the areas', () => {
    expect(() => chooseAudits({ only: 'graphql' })).toThrow('areas: auth, rest, realtime');
    expect(() => chooseAudits({ only: 'rest-client', set: 'server' })).toThrow('There are no such audits');
  });
});

describe('the faulty clients', () => {
  it('each replaces a text that occurs once in its file', () => {
    const countIn = ({ file, find }: (typeof clientMutants)[number]) =>
      readFileSync(new URL(`../../src/${file}`, import.meta.url), 'utf8').split(find).length - 1;
    expect(clientMutants.filter((mutant) => countIn(mutant) !== 1).map(({ name }) => name)).toEqual([]);
  });
});

describe('the list of known failures', () => {
  it('a list of known failures is read as ids with reasons', () => {
    expect([...parseKnownFailing('# comment\n\nREST-1 the engine has no csv # later\n')]).toEqual([
      ['REST-1', 'the engine has no csv'],
    ]);
  });

  it('a known failure without a reason is refused', () => {
    expect(() => parseKnownFailing('REST-1\n')).toThrow('needs an id and a reason');
  });
});
