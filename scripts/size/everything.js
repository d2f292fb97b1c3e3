// Every entry of the three clients.
export * from '@/platform/browser-platform.ts';
export * from '@/auth-client/index.ts';
export * from '@/auth-client/features/mfa.ts';
export * from '@/auth-client/features/passkeys.ts';
export * from '@/auth-client/features/identities.ts';
export * from '@/auth-client/features/sso.ts';
export * from '@/auth-client/features/web3.ts';
export * from '@/auth-client/features/id-token.ts';
export * from '@/auth-client/features/claims.ts';
export * from '@/auth-client/server/server.ts';
export * from '@/rest-client/index.ts';
export * from '@/rest-client/long-reads/long-reads.ts';
export * from '@/realtime-client/index.ts';
export * from '@/realtime-client/changes/postgres-changes.ts';
export * from '@/realtime-client/live-query/live-query.ts';
export * from '@/realtime-client/tabs/shared-socket.ts';
