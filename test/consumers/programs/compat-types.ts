/** A program of the vendor's client that names the parameter and result types of its methods. */
import {
  createClient,
  type AMREntry,
  type AuthMFAEnrollResponse,
  type FactorType,
  type GenerateLinkParams,
  type OAuthClient,
  type RealtimeClientOptions,
  type RequestResult,
  type VerifyTokenHashParams,
} from 'supabase-protocol-clients/compat';
import type { Database } from './database.ts';

const realtime: RealtimeClientOptions = {
  worker: true,
  logLevel: 'info',
  heartbeatCallback: (status) => console.log(status),
};
const supabase = createClient<Database>('https://p.example', 'key', { realtime });

const link: GenerateLinkParams = { type: 'invite', email: 'ada@example.com' };
export const createLink = () => supabase.auth.admin.generateLink(link);
export const enroll = (): Promise<AuthMFAEnrollResponse> =>
  supabase.auth.mfa.enroll({ factorType: 'totp', friendlyName: 'App' });
export const verify = (params: VerifyTokenHashParams) => supabase.auth.verifyOtp(params);
export const idOf = (client: OAuthClient): string => client.client_id;
export const isApp = (type: FactorType): boolean => type === 'totp';
export const methodOf = ({ method, timestamp }: AMREntry): string => `${method} at ${timestamp}`;
export const titleOf = ({ data, error }: RequestResult<{ title: string }>): string =>
  error ? error.message : data.title;
