import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createLocalSupabase, type LocalSupabase } from 'local-supabase';
import type { Audit } from '../src/audit/audit.ts';
import { parseKnownFailing } from '../src/runner/known-failing.ts';
import { createLocalTarget } from '../bin/local-target.ts';
import { runAudits, type AuditResult } from '../src/runner/runner.ts';

const knownFailing = parseKnownFailing(
  readFileSync(new URL('../bin/local-known-failing.txt', import.meta.url), 'utf8'),
);

/** The audit of a project's limit of messages, which would disturb the other audits of the project. */
export const messageLimitAudit = 'RT-433';

/** Whether an audit may need other settings than the default ones: settings.nightly.test.ts runs these audits on servers with them. */
export const needsSettings = ({ audit, outcome }: AuditResult): boolean =>
  (audit.area === 'auth' || audit.id === messageLimitAudit) && outcome.status === 'not-run';

/** Runs audits on a new embedded Supabase, each as a test. */
export function testLocalAudits(audits: readonly Audit[]): void {
  let supabase: LocalSupabase;
  let results: ReadonlyMap<string, AuditResult>;

  beforeAll(async () => {
    supabase = await createLocalSupabase({ config: false, port: 0, mailboxPort: 0, auth: { bcryptCost: 4 } });
    const list = await runAudits(audits, createLocalTarget(supabase), { knownFailing, concurrency: 8 });
    results = new Map(list.map((result) => [result.audit.id, result]));
  }, 600_000);

  afterAll(() => supabase.close());

  it.each(audits.map(({ id, title }) => [id, title]))('%s %s', (id) => {
    const result = results.get(id);
    if (result && needsSettings(result)) return;
    const expected = result?.known == null ? { status: 'passed' } : { ...result.outcome, status: 'failed' };
    expect(result?.outcome).toEqual(expected);
  });
}
