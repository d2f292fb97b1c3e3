import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { auditsPage, writeAuditTable } from '../scripts/audit-table.ts';
import { audits, chooseAudits } from '../src/audits.ts';
import { parseKnownFailing } from '../src/known-failing.ts';

describe('the audits', () => {
  it('have ids that are unique', () => {
    expect(new Set(audits.map(({ id }) => id)).size).toBe(audits.length);
  });

  it('keep the meaning of their ids: a change of this snapshot needs a new id', () => {
    expect(audits.map(({ id, level, title }) => `${id} ${level} ${title}`)).toMatchSnapshot();
  });

  it('are counted in local-supabase/docs/embedded-supabase.md (npm run docs:embedded)', async () => {
    const page = await readFile(auditsPage, 'utf8');
    const knownFailing = await readFile('conformance/bin/local-known-failing.txt', 'utf8');
    expect(writeAuditTable(page, knownFailing)).toBe(page);
  });

  it('name the source of each statement', () => {
    for (const { source } of audits) expect(source).toMatch(/\S/);
  });
});

describe('the choice of audits', () => {
  const areasOf = (choice: Parameters<typeof chooseAudits>[0]) =>
    new Set(chooseAudits(choice).map(({ area }) => area));

  it('takes both sets of a service, one of them, or all', () => {
    expect(areasOf({ only: 'auth' })).toEqual(new Set(['auth', 'auth-client']));
    expect(areasOf({ only: 'auth', set: 'server' })).toEqual(new Set(['auth']));
    expect(areasOf({ only: 'auth-client' })).toEqual(new Set(['auth-client']));
    expect(chooseAudits({})).toEqual(audits);
  });

  it('refuses an empty selection and lists the choices', () => {
    expect(() => chooseAudits({ only: 'graphql' })).toThrow('Areas: auth, rest, realtime');
    expect(() => chooseAudits({ only: 'rest-client', set: 'server' })).toThrow('There are no such audits');
  });
});

describe('the list of known failures', () => {
  it('is read as ids with reasons', () => {
    expect([...parseKnownFailing('# comment\n\nREST-1 the engine has no csv # later\n')]).toEqual([
      ['REST-1', 'the engine has no csv'],
    ]);
  });

  it('refuses an entry without a reason', () => {
    expect(() => parseKnownFailing('REST-1\n')).toThrow('needs an id and a reason');
  });
});
