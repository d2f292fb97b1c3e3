import { sha256 } from '@noble/hashes/sha2.js';

import { encodeBase64Url } from '../../../platform/base64.ts';
import { encodeUtf8, isEqualText } from '../../../platform/bytes.ts';
import type { Sql } from '../../../database/database.ts';
import { badRequest, invalid } from '../http/errors.ts';
import { insertRow, updateRow } from './rows.ts';
import { isUuid } from './rows.ts';

/** How a flow began: a mail, a provider or single sign-on. */
export type FlowMethod =
  | 'oauth'
  | 'sso/saml'
  | 'magiclink'
  | 'email/signup'
  | 'recovery'
  | 'email_change'
  | 'invite';

/** A row of auth.flow_state: a pending flow between its request and the exchange of its code. */
export interface FlowState {
  readonly id: string;
  readonly user_id: string | null;
  readonly auth_code: string | null;
  readonly authentication_method: FlowMethod;
  readonly code_challenge: string | null;
  readonly code_challenge_method: 's256' | 'plain' | null;
  readonly provider_type: string;
  readonly provider_access_token: string | null;
  readonly provider_refresh_token: string | null;
  readonly auth_code_issued_at: Date | null;
  readonly created_at: Date;
  readonly invite_token: string | null;
  readonly referrer: string | null;
  readonly linking_target_id: string | null;
  readonly email_optional: boolean;
}

/** RFC 7636. */
export interface CodeChallenge {
  readonly challenge: string;
  readonly method: string;
}

/** Checks the two PKCE fields of a request. Null when both are missing; throws 400 validation_failed. */
export function parseCodeChallenge(challenge: string, method: string): CodeChallenge | null {
  if ((challenge === '') !== (method === ''))
    throw invalid('PKCE flow requires code_challenge_method and code_challenge');
  if (challenge === '') return null;
  if (challenge.length < 43 || challenge.length > 128)
    throw invalid('code challenge has to be between 43 and 128 characters');
  if (!/^[a-zA-Z._~0-9-]+$/.test(challenge))
    throw invalid(
      'code challenge can only contain alphanumeric characters, hyphens, periods, underscores and tildes',
    );
  return { challenge, method };
}

export interface NewFlowState {
  readonly provider: string;
  readonly method: FlowMethod;
  readonly codeChallenge: CodeChallenge | null;
  readonly userId?: string;
  readonly referrer?: string;
  readonly inviteToken?: string;
  readonly linkingTargetId?: string;
  /** Whether the provider's account may lack an address. Default false. */
  readonly isEmailOptional?: boolean;
}

function parseMethod(method: string): 's256' | 'plain' | undefined {
  const lower = method.toLowerCase();
  return lower === 's256' || lower === 'plain' ? lower : undefined;
}

/** Stores a flow. Throws an error without a status for an unknown challenge method, as GoTrue does for mails. */
export async function createFlowState(sql: Sql, now: Date, flow: NewFlowState): Promise<FlowState> {
  const method = flow.codeChallenge && parseMethod(flow.codeChallenge.method);
  if (method === undefined) throw new Error('unsupported code_challenge method');
  return insertRow<FlowState>(sql, 'auth.flow_state', {
    id: crypto.randomUUID(),
    user_id: flow.userId ?? null,
    auth_code: flow.codeChallenge && crypto.randomUUID(),
    code_challenge: flow.codeChallenge?.challenge ?? null,
    code_challenge_method: method,
    provider_type: flow.provider,
    provider_access_token: '',
    provider_refresh_token: '',
    authentication_method: flow.method,
    invite_token: flow.inviteToken ?? null,
    referrer: flow.referrer ?? null,
    linking_target_id: flow.linkingTargetId ?? null,
    email_optional: flow.isEmailOptional ?? false,
    created_at: now,
    updated_at: now,
  });
}

/** True for a supported challenge method. */
export const isKnownMethod = (challenge: CodeChallenge | null): boolean =>
  challenge === null || parseMethod(challenge.method) !== undefined;

export async function findFlowStateById(sql: Sql, id: string): Promise<FlowState | undefined> {
  if (!isUuid(id)) return undefined;
  const [flow] = await sql.query<FlowState>('select * from auth.flow_state where id = $1', [id]);
  return flow;
}

/** A flow with a code, which only a challenge begins. */
type PkceFlow = FlowState & { readonly code_challenge: string };

export async function findFlowStateByCode(sql: Sql, authCode: string): Promise<PkceFlow | undefined> {
  const [flow] = await sql.query<PkceFlow>('select * from auth.flow_state where auth_code = $1', [authCode]);
  return flow;
}

/** Issues the code for the user's latest flow of this method, not for the flow of the opened mail. Undefined without a flow. */
export async function issueAuthCode(
  sql: Sql,
  now: Date,
  userId: string,
  method: string,
): Promise<string | undefined> {
  const [flow] = await sql.query<FlowState>(
    `select * from auth.flow_state where user_id = $1 and authentication_method = $2
     order by created_at desc, sequence desc limit 1`,
    [userId, method],
  );
  if (flow?.auth_code == null) return undefined;
  await updateRow(sql, 'auth.flow_state', flow.id, { auth_code_issued_at: now, updated_at: now });
  return flow.auth_code;
}

/** True when the code has expired. Its lifetime begins with the request, or for magic links with the click. */
export function isFlowExpired(flow: FlowState, expirySeconds: number, nowMs: number): boolean {
  const fromClick = flow.authentication_method === 'magiclink' ? flow.auth_code_issued_at : null;
  return nowMs > (fromClick ?? flow.created_at).getTime() + expirySeconds * 1000;
}

/** True when the verifier matches the challenge (RFC 7636 section 4.6). */
export function isCodeVerifier(
  challenge: string,
  method: 's256' | 'plain' | null,
  verifier: string,
): boolean {
  const derived = method === 's256' ? encodeBase64Url(sha256(encodeUtf8(verifier))) : verifier;
  return isEqualText(challenge, derived);
}

export const wrongVerifierMessage = 'code challenge does not match previously saved code verifier';

/** Checks a verifier against the flow's challenge. Throws 400 bad_code_verifier. */
export function checkCodeVerifier(flow: PkceFlow, verifier: string): void {
  if (!isCodeVerifier(flow.code_challenge, flow.code_challenge_method, verifier))
    throw badRequest('bad_code_verifier', wrongVerifierMessage);
}

export async function deleteFlowState(sql: Sql, id: string): Promise<void> {
  await sql.query('delete from auth.flow_state where id = $1', [id]);
}
