/** Audits of Supabase servers and clients. See README.md. */
export type { Audit, AuditArea, AuditLevel, AuditNeed, AuditSource } from './audit/audit.ts';
export type { AdaptedClient, ClientAdapter, ClientCommands } from './target/client-adapter.ts';
export type { Evidence } from './runner/evidence.ts';
export { compareReports, formatComparison, type Comparison } from './reports/comparison.ts';
export { createAuditContext, type AuditContext, type AuditUser } from './audit/audit-context.ts';
export { audits, chooseAudits } from './audits/audits.ts';
export { removeRun, type Removal } from './schema/cleanup.ts';
export { toVerifyLink } from './target/mailbox.ts';
export { isChange, isReply, isSystem, joinPayload, openFrameSocket } from './audits/realtime/frame-socket.ts';
export { createReport, suiteVersion, type ConformanceReport, type ReportedAudit } from './reports/report.ts';
export { formatHtml } from './reports/html-report.ts';
export { formatJson, formatJUnit, formatText } from './reports/reports.ts';
export { createAuditRun, type AuditRun } from './target/run.ts';
export { isUnexpected, runAudits } from './runner/runner.ts';
export type { AuditOutcome, AuditResult, RunOptions } from './runner/runner.ts';
export { readSection, type PublicSource, type SourceSection } from './audit/sources.ts';
export type { ConformanceTarget } from './target/target.ts';
export { at } from './target/wire.ts';
