import { type Call, readText, sendJson } from '../http/call.ts';
import { inTransaction, type AuthContext } from '../context.ts';
import { internal, invalid, notFound, unprocessable } from '../http/errors.ts';
import {
  checkCodeVerifier,
  deleteFlowState,
  findFlowStateByCode,
  isFlowExpired,
} from '../rows/flow-state.ts';
import { recordAudit } from '../rows/audit.ts';
import { signIn } from '../sessions/session-tokens.ts';
import { findUserById } from '../rows/users.ts';

/** POST /token?grant_type=pkce: `{auth_code, code_verifier}`. A failed exchange does not consume the code. */
export async function pkceGrant(context: AuthContext, call: Call): Promise<Response> {
  const body = await call.json();
  const [code, verifier] = [readText(body, 'auth_code'), readText(body, 'code_verifier')];
  if (code === '' || verifier === '')
    throw invalid('invalid request: both auth code and code verifier should be non-empty');
  const tokens = await inTransaction(context, async ({ sql }) => {
    const flow = await findFlowStateByCode(sql, code);
    if (flow?.user_id == null)
      throw notFound('flow_state_not_found', 'invalid flow state, no valid flow state found');
    if (isFlowExpired(flow, context.settings.flowStateExpirySeconds, context.now()))
      throw unprocessable('flow_state_expired', 'invalid flow state, flow state has expired');
    const user = await findUserById(sql, flow.user_id);
    if (user === undefined) throw internal('User not found');
    checkCodeVerifier(flow, verifier);
    const traits = { provider_type: flow.provider_type };
    await recordAudit(context, sql, user, 'login', { traits });
    const signedIn = await signIn(context, call, sql, user, flow.authentication_method);
    await deleteFlowState(sql, flow.id);
    return {
      ...signedIn,
      ...(flow.provider_access_token && { provider_token: flow.provider_access_token }),
      ...(flow.provider_refresh_token && { provider_refresh_token: flow.provider_refresh_token }),
    };
  });
  return sendJson(call, tokens);
}
