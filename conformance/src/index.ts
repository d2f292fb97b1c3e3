/** Audits of Supabase servers and clients. See README.md. */
export { createAuditContext, type AuditContext, type AuditUser } from './audit-context.ts';
export { toVerifyLink } from './mailbox.ts';
export { isChange, isReply, isSystem, joinPayload, openFrameSocket } from './realtime/frame-socket.ts';
export { at } from './wire.ts';
