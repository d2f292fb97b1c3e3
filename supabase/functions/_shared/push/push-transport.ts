import webPush from 'web-push';
import { requireSetting } from '../runtime/runtime.ts';
import type { Runtime } from '../runtime/runtime.ts';

/** A device's push subscription (RFC 8030, RFC 8291). */
export interface PushSubscription {
  readonly endpoint: string;
  /** The device's public key, base64url. */
  readonly p256dh: string;
  /** The device's authentication secret, base64url. */
  readonly auth: string;
}

/** How the push service answered. */
export type PushOutcome =
  | { readonly outcome: 'sent' | 'gone' }
  | {
      /** `failed`: another attempt may succeed. `refused`: none can. */
      readonly outcome: 'failed' | 'refused';
      readonly reason: string;
      readonly retrySeconds: number | null;
    };

/** Encrypts messages and hands them to push services. */
export interface PushTransport {
  /** Never rejects. */
  send(subscription: PushSubscription, payload: string): Promise<PushOutcome>;
}

/** The push services of Chromium, Firefox, Safari and Edge. Requests to other hosts could reach an internal network. */
const browserHosts = [
  'fcm.googleapis.com',
  'push.services.mozilla.com',
  'push.apple.com',
  'notify.windows.com',
] as const;

const timeoutMs = 10_000;
/** A push service keeps a message this long for a device that is off. */
const ttlSeconds = 24 * 3600;

/** @throws {MissingSettingError} without VAPID_SUBJECT, VAPID_PUBLIC_KEY or VAPID_PRIVATE_KEY. */
export function createPushTransport({ env, fetch }: Runtime): PushTransport {
  const vapidDetails = {
    subject: requireSetting(env, 'VAPID_SUBJECT'),
    publicKey: requireSetting(env, 'VAPID_PUBLIC_KEY'),
    privateKey: requireSetting(env, 'VAPID_PRIVATE_KEY'),
  };
  /** `host` or, for development and tests, `http://host:port`. */
  const hosts = [...browserHosts, ...(env['PUSH_HOSTS'] ?? '').split(/[\s,]+/).filter(Boolean)];
  return {
    async send({ endpoint, p256dh, auth }, payload) {
      if (!isAllowed(endpoint, hosts))
        return { outcome: 'refused', reason: 'The push service is not allowed', retrySeconds: null };
      try {
        const { method, headers, body } = webPush.generateRequestDetails(
          { endpoint, keys: { p256dh, auth } },
          payload,
          { vapidDetails, TTL: ttlSeconds, urgency: 'normal', contentEncoding: 'aes128gcm' },
        );
        const response = await fetch(endpoint, {
          method,
          headers,
          body: new Uint8Array(body ?? []),
          redirect: 'error',
          signal: AbortSignal.timeout(timeoutMs),
        });
        await response.body?.cancel();
        return outcomeOf(response);
      } catch (problem) {
        const reason = problem instanceof Error ? problem.message : String(problem);
        return { outcome: 'failed', reason, retrySeconds: null };
      }
    },
  };
}

function isAllowed(endpoint: string, hosts: readonly string[]): boolean {
  if (!URL.canParse(endpoint)) return false;
  const { protocol, host, origin } = new URL(endpoint);
  // `host` has a port unless it is 443, on which the push services are.
  return hosts.some(
    (allowed) =>
      allowed === origin || (protocol === 'https:' && (host === allowed || host.endsWith(`.${allowed}`))),
  );
}

/** RFC 8030 §5 and §7.3; 413 and other refusals stay as they are however often they are tried. */
function outcomeOf({ status, headers }: Response): PushOutcome {
  if (status >= 200 && status < 300) return { outcome: 'sent' };
  if (status === 404 || status === 410) return { outcome: 'gone' };
  const seconds = Number(headers.get('retry-after') ?? Number.NaN);
  const retrySeconds = Number.isFinite(seconds) ? Math.ceil(seconds) : null;
  const isTemporary = status === 429 || status >= 500;
  return {
    outcome: isTemporary ? 'failed' : 'refused',
    reason: `The push service answered ${status}`,
    retrySeconds: isTemporary ? retrySeconds : null,
  };
}
