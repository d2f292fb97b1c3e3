import * as OTPAuth from 'otpauth';
import type { AuditContext } from '../../audit/audit-context.ts';
import { assertStatus, textAt, type WireResponse } from '../../target/wire.ts';

/** An unverified TOTP factor. */
export interface TotpFactor {
  readonly id: string;
  /** Challenges the factor and sends its code, or a wrong one. Default: with the token that enrolled it. */
  verify(isRight?: boolean, token?: string): Promise<WireResponse>;
}

export async function enrollTotp({ auth }: AuditContext, owner: string): Promise<TotpFactor> {
  const body = { factor_type: 'totp', friendly_name: 'app' };
  const enrolled = await auth.send('POST', '/factors', { token: owner, body });
  assertStatus(enrolled, 200);
  const id = textAt(enrolled, 'id');
  const totp = OTPAuth.URI.parse(textAt(enrolled, 'totp', 'uri'));
  return {
    id,
    async verify(isRight = true, token = owner) {
      const challenged = await auth.send('POST', `/factors/${id}/challenge`, { token, body: {} });
      const right = totp.generate();
      const wrong = right.startsWith('0') ? `1${right.slice(1)}` : `0${right.slice(1)}`;
      const proof = { challenge_id: textAt(challenged, 'id'), code: isRight ? right : wrong };
      return auth.send('POST', `/factors/${id}/verify`, { token, body: proof });
    },
  };
}
