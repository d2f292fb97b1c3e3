import { type AuthContext, nowDate } from '../context.ts';
import { badRequest, invalid } from '../http/errors.ts';
import { insertRow, isUuid } from '../rows/rows.ts';
import { createWebAuthnSession, type WebAuthnSession } from '../webauthn/session.ts';

export type Ceremony = 'registration' | 'authentication';

/** A row of auth.webauthn_challenges. */
interface ChallengeRow {
  readonly id: string;
  readonly session_data: WebAuthnSession;
  readonly expires_at: Date;
}

/** A stored challenge, for the response. */
export interface NewChallenge {
  readonly id: string;
  /** base64url. */
  readonly challenge: string;
  /** Seconds since the epoch. */
  readonly expiresAt: number;
}

interface ChallengeOptions {
  readonly ceremony: Ceremony;
  readonly rpId: string;
  /** The user who registers; null for a sign-in. */
  readonly userId: string | null;
  readonly credParams?: readonly object[];
}

export async function createChallenge(
  context: AuthContext,
  { ceremony, rpId, userId, credParams }: ChallengeOptions,
): Promise<NewChallenge> {
  const session = createWebAuthnSession({
    rpId,
    userId,
    userVerification: 'preferred',
    ...(credParams && { credParams }),
  });
  const expiresAtMs = context.now() + context.settings.webauthnChallengeExpirySeconds * 1000;
  const { id } = await insertRow<ChallengeRow>(context.database, 'auth.webauthn_challenges', {
    id: crypto.randomUUID(),
    user_id: userId,
    challenge_type: ceremony,
    session_data: session,
    created_at: nowDate(context),
    expires_at: new Date(expiresAtMs),
  });
  return { id, challenge: session.challenge, expiresAt: Math.floor(expiresAtMs / 1000) };
}

/**
 * Deletes a challenge and returns its state, so that each challenge can be used once. Throws 400 validation_failed,
 * webauthn_challenge_not_found, webauthn_challenge_expired.
 */
export async function consumeChallenge(
  context: AuthContext,
  id: string,
  ceremony: Ceremony,
  userId: string | null,
): Promise<WebAuthnSession> {
  if (!isUuid(id)) throw invalid('challenge_id must be a valid UUID');
  const [row] = await context.database.query<ChallengeRow>(
    `delete from auth.webauthn_challenges
     where id = $1 and challenge_type = $2 and user_id is not distinct from $3 returning *`,
    [id, ceremony, userId],
  );
  if (row === undefined)
    throw badRequest('webauthn_challenge_not_found', 'Challenge not found or already used');
  if (context.now() > row.expires_at.getTime())
    throw badRequest('webauthn_challenge_expired', 'Challenge has expired');
  return row.session_data;
}
