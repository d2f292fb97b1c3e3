import { Buffer } from 'node:buffer';
import { createHmac } from 'node:crypto';
import { isEqual } from './service-keys.ts';

/** A delivery whose time differs more is refused: it may be a replay. */
const toleranceSeconds = 300;

/**
 * Whether a webhook is signed with the secret (`whsec_…`), in the scheme of Svix and Standard Webhooks: HMAC-SHA-256 of
 * `<id>.<timestamp>.<body>`.
 *
 * @see https://docs.svix.com/receiving/verifying-payloads/how-manual
 */
export function isSignedWebhook(headers: Headers, body: string, secret: string, nowMs: number): boolean {
  const id = headers.get('svix-id') ?? headers.get('webhook-id') ?? '';
  const timestamp = headers.get('svix-timestamp') ?? headers.get('webhook-timestamp') ?? '';
  const signatures = headers.get('svix-signature') ?? headers.get('webhook-signature') ?? '';
  const isRecent = Math.abs(nowMs / 1000 - Number(timestamp)) <= toleranceSeconds;
  if (id === '' || timestamp === '' || !isRecent) return false;
  const expected = signatureOf(id, timestamp, body, secret);
  return signatures.split(' ').some((signature) => isEqual(signature, expected));
}

/**
 * The headers that sign a webhook by Standard Webhooks.
 *
 * @see https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
export function signWebhook(
  id: string,
  body: string,
  secret: string,
  nowMs: number,
): Readonly<Record<string, string>> {
  const timestamp = String(Math.floor(nowMs / 1000));
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatureOf(id, timestamp, body, secret),
  };
}

function signatureOf(id: string, timestamp: string, body: string, secret: string): string {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
}
