/** Audits of Supabase servers and clients. See README.md. */
export type { Audit, AuditArea, AuditLevel, AuditNeed, AuditSource } from './audit.ts';
export type { AdaptedClient, ClientAdapter, ClientCommands } from './any-client/client-adapter.ts';
export type { Evidence } from './evidence.ts';
export { compareReports, formatComparison, type Comparison } from './comparison.ts';
export { createAuditContext, type AuditContext, type AuditUser } from './audit-context.ts';
export { audits, chooseAudits } from './audits.ts';
export { removeRun, type Removal } from './cleanup.ts';
export { toVerifyLink } from './mailbox.ts';
export { isChange, isReply, isSystem, joinPayload, openFrameSocket } from './realtime/frame-socket.ts';
export { createReport, suiteVersion, type ConformanceReport, type ReportedAudit } from './report.ts';
export { formatHtml } from './html-report.ts';
export { formatJson, formatJUnit, formatText } from './reports.ts';
export { createAuditRun, type AuditRun } from './run.ts';
export { isUnexpected, runAudits } from './runner.ts';
export type { AuditOutcome, AuditResult, RunOptions } from './runner.ts';
export { readSection, type PublicSource, type SourceSection } from './sources.ts';
export type { ConformanceTarget } from './target.ts';
export { at } from './wire.ts';
