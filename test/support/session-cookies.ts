/** Moves the expiry of the session in a browser's cookies, as time does. */
export function expire(jar: Map<string, string>, secondsLeft: number) {
  const name = [...jar.keys()].find((key) => key.endsWith('-auth-token')) ?? '';
  const text = Buffer.from((jar.get(name) ?? '').replace('base64-', ''), 'base64url').toString();
  const { received_at: _receivedAt, ...session } = JSON.parse(text) as Record<string, unknown>;
  const expires_at = Math.floor(Date.now() / 1000) + secondsLeft;
  const next = JSON.stringify({ ...session, expires_at });
  jar.set(name, `base64-${Buffer.from(next).toString('base64url')}`);
}
