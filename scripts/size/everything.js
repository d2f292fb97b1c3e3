// Every entry of the three clients.
export * from '@/platform/browser-platform.ts';
export * from '@/auth-client/index.ts';
export * from '@/auth-client/mfa.ts';
export * from '@/auth-client/identities.ts';
export * from '@/auth-client/sso.ts';
export * from '@/auth-client/web3.ts';
export * from '@/auth-client/id-token.ts';
export * from '@/auth-client/claims.ts';
export * from '@/auth-client/server.ts';
export * from '@/rest-client/index.ts';
export * from '@/rest-client/long-reads.ts';
export * from '@/realtime-client/index.ts';
export * from '@/realtime-client/live-query.ts';
export * from '@/realtime-client/shared-socket.ts';
