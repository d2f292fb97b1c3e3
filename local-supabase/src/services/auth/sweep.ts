import type { AuthContext } from './context.ts';

const dayMs = 86_400_000;

/** Deletes expired rows as GoTrue's cleanup does: WebAuthn challenges at once, other rows after a day or more. */
export async function sweep(context: AuthContext): Promise<void> {
  const { database, settings, limiter, testProvider } = context;
  const ago = (ms: number): string => new Date(context.now() - ms).toISOString();
  const run = async (text: string, olderThan: string): Promise<void> => {
    await database.query(text, [olderThan]);
  };
  const yesterday = ago(dayMs);
  await run('delete from auth.refresh_tokens where revoked is true and updated_at < $1', yesterday);
  await run('delete from auth.sessions where not_after < $1', ago(3 * dayMs));
  await run('delete from auth.saml_relay_states where created_at < $1', yesterday);
  await run('delete from auth.flow_state where created_at < $1', yesterday);
  await run('delete from auth.mfa_challenges where created_at < $1', yesterday);
  await run('delete from auth.webauthn_challenges where expires_at < $1', ago(0));
  await run(`delete from auth.mfa_factors where status = 'unverified' and created_at < $1`, yesterday);
  await run(
    'delete from auth.one_time_tokens where created_at < $1',
    ago(Math.max(dayMs, settings.emailOtpExpirySeconds * 1000)),
  );
  await run('delete from auth.users where is_anonymous and created_at < $1', ago(30 * dayMs));
  if (settings.sessionTimeboxSeconds)
    await run(
      'delete from auth.sessions where created_at < $1',
      ago(dayMs + settings.sessionTimeboxSeconds * 1000),
    );
  if (settings.sessionInactivitySeconds)
    await run(
      'delete from auth.sessions where coalesce(refreshed_at, created_at) < $1',
      ago(dayMs + settings.sessionInactivitySeconds * 1000),
    );
  limiter.sweep();
  testProvider.sweep();
}
