import { UnmetExpectationError } from '../src/target/assertion.ts';
import type { Audit, AuditLevel } from '../src/audit/audit.ts';
import { createReport, type ConformanceReport } from '../src/reports/report.ts';
import { runAudits, type AuditResult } from '../src/runner/runner.ts';
import { NotRunError } from '../src/target/target.ts';

/** A target without any service. */
export const target = {
  authUrl: 'http://127.0.0.1:1',
  restUrl: null,
  storageUrl: null,
  realtimeUrl: null,
  anonKey: '',
  serviceKey: null,
  mailboxUrl: null,
  smsInMailbox: false,
  redirectTo: 'http://localhost/home',
  fetch: () => Promise.reject(new Error('no network')),
};

export const audit = (id: string, run: Audit['run'], level: AuditLevel = 'MUST'): Audit => ({
  id,
  area: 'auth',
  level,
  title: `statement <${id}>`,
  source: 'protocol/auth.md#weak-passwords',
  needs: [],
  since: '0.1.0',
  run,
});

const sample = [
  audit('A-1', () => Promise.resolve()),
  audit('A-2', () => Promise.reject(new UnmetExpectationError('the name is "x" & y', '<nothing>'))),
  audit('A-3', () => Promise.reject(new Error('cannot yet'))),
  audit('A-4', () => Promise.resolve()),
  audit('A-5', () => Promise.reject(new NotRunError('no mailbox'))),
  audit('A-6', () => Promise.reject(new Error('would be nice')), 'SHOULD'),
  { ...audit('A-7', () => Promise.resolve()), needs: ['service-key'] as const },
];

/** One audit for each kind of result. */
export const runSample = (): Promise<readonly AuditResult[]> =>
  runAudits(sample, target, {
    knownFailing: new Map([
      ['A-3', 'a reason'],
      ['A-4', 'a reason that is gone'],
    ]),
  });

export const reportOf = (results: readonly AuditResult[]): ConformanceReport =>
  createReport(results, {
    id: '0123abcd',
    startedAt: '2026-01-02T03:04:05.000Z',
    url: 'http://127.0.0.1:1',
    client: 'ours 1.0.0',
    roundTripMs: 3,
  });
