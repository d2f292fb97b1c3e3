import { Buffer } from 'node:buffer';
import { createECDH } from 'node:crypto';
import webPush from 'web-push';
import { messageOf } from '../runtime/failure-log.ts';
import { InvalidSettingError, requireSetting } from '../runtime/runtime.ts';
import type { Environment, Runtime } from '../runtime/runtime.ts';
import { findHttpRule, readRetryAfterMs } from '../runtime/response-rules.ts';
import { pushRules } from './push-responses.ts';

/** A device's push subscription (RFC 8030, RFC 8291). */
export interface PushSubscription {
  readonly endpoint: string;
  /** The device's public key, base64url. */
  readonly p256dh: string;
  /** The device's authentication secret, base64url. */
  readonly auth: string;
}

/** The response of the push service. */
export type PushOutcome =
  | { readonly outcome: 'sent' | 'gone' }
  | {
      /** `failed`: another attempt may succeed. `held`: the message has to wait, and no attempt counts. `refused`: no attempt can succeed. */
      readonly outcome: 'failed' | 'held' | 'refused';
      readonly reason: string;
      /** Null: the service names no time. */
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
const maxFailures = 5;

/** @throws {MissingSettingError | InvalidSettingError} without VAPID_SUBJECT, VAPID_PUBLIC_KEY or VAPID_PRIVATE_KEY, or if they do not fit. */
export function createPushTransport({ env, fetch, now }: Runtime): PushTransport {
  const vapidDetails = readVapidDetails(env);
  /** `host` or, for development and tests, `http://host:port`. */
  const hosts = [...browserHosts, ...(env['PUSH_HOSTS'] ?? '').split(/[\s,]+/).filter(Boolean)];
  const outages = createOutages();
  return {
    async send({ endpoint, p256dh, auth }, payload) {
      if (!isAllowed(endpoint, hosts))
        return { outcome: 'refused', reason: 'The push service is not allowed', retrySeconds: null };
      const { origin } = new URL(endpoint);
      const outage = outages.find(origin);
      if (outage !== null) return hold(outage);
      const encrypted = encrypt({ endpoint, p256dh, auth }, payload, vapidDetails);
      if ('problem' in encrypted) return { outcome: 'failed', reason: encrypted.problem, retrySeconds: null };
      const { method, headers, body } = encrypted;
      try {
        const response = await fetch(endpoint, {
          method,
          headers,
          body: new Uint8Array(body ?? []),
          redirect: 'error',
          signal: AbortSignal.timeout(timeoutMs),
        });
        const outcome = readOutcome(response, await response.text(), now());
        outages.record(origin, outcome.outcome === 'held' && response.status >= 500 ? outcome.reason : null);
        return outcome;
      } catch (problem) {
        const reason = `The push service cannot be reached: ${messageOf(problem)}`;
        outages.record(origin, reason);
        return hold(reason);
      }
    },
  };
}

interface VapidDetails {
  readonly subject: string;
  readonly publicKey: string;
  readonly privateKey: string;
}

/**
 * Apple refuses every message (`BadJwtToken`) of an operator without a public address, and the other services accept it. The last four
 * names are never public (RFC 6761, RFC 6762).
 */
const publicSubject =
  /^(?:mailto:[^\s<>@]+@|https:\/\/)(?:[a-z\d-]+\.)+(?!(?:localhost|invalid|test|local)(?![a-z\d-]))[a-z][a-z\d-]*(?:[/:?#]\S*)?$/i;

/** Validates the settings, because keys that cannot sign would fail each message. */
function readVapidDetails(env: Environment): VapidDetails {
  const subject = requireSetting(env, 'VAPID_SUBJECT');
  if (!publicSubject.test(subject))
    throw new InvalidSettingError('VAPID_SUBJECT', 'a mailto: or https: address of a public domain');
  const publicKey = requireSetting(env, 'VAPID_PUBLIC_KEY');
  const privateKey = requireSetting(env, 'VAPID_PRIVATE_KEY');
  const pair = createECDH('prime256v1');
  try {
    webPush.getVapidHeaders('https://push.example.com', subject, publicKey, privateKey, 'aes128gcm');
    pair.setPrivateKey(Buffer.from(privateKey, 'base64url'));
  } catch (problem) {
    throw new InvalidSettingError('VAPID_PRIVATE_KEY', `a key that can sign (${messageOf(problem)})`, {
      cause: problem,
    });
  }
  if (!pair.getPublicKey().equals(Buffer.from(publicKey, 'base64url')))
    throw new InvalidSettingError('VAPID_PRIVATE_KEY', 'the key of VAPID_PUBLIC_KEY');
  return { subject, publicKey, privateKey };
}

type Details = ReturnType<typeof webPush.generateRequestDetails>;

/** Fails for invalid keys of a device. */
function encrypt(
  { endpoint, p256dh, auth }: PushSubscription,
  payload: string,
  vapidDetails: VapidDetails,
): Details | { readonly problem: string } {
  try {
    return webPush.generateRequestDetails({ endpoint, keys: { p256dh, auth } }, payload, {
      vapidDetails,
      TTL: ttlSeconds,
      urgency: 'normal',
      contentEncoding: 'aes128gcm',
    });
  } catch (problem) {
    return { problem: messageOf(problem) };
  }
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

function readOutcome({ status, headers }: Response, body: string, nowMs: number): PushOutcome {
  const { verdict } = findHttpRule(pushRules, status, body);
  if (verdict === 'sent' || verdict === 'gone') return { outcome: verdict };
  const reason = `The push service responded ${status}: ${body.slice(0, 200)}`;
  const retryAfterMs = readRetryAfterMs(headers, nowMs);
  return verdict === 'held'
    ? hold(reason, retryAfterMs > 0 ? Math.ceil(retryAfterMs / 1000) : null)
    : { outcome: verdict, reason, retrySeconds: null };
}

function hold(reason: string, retrySeconds: number | null = null): PushOutcome {
  return { outcome: 'held', reason, retrySeconds };
}

/**
 * After several requests in a row without a response, the run sends no more to this push service, because each would wait for
 * a timeout.
 */
function createOutages() {
  const failures = new Map<string, number>();
  const reasons = new Map<string, string>();
  return {
    find: (origin: string) =>
      (failures.get(origin) ?? 0) >= maxFailures ? (reasons.get(origin) ?? null) : null,
    /** @param reason null: the service responds. */
    record(origin: string, reason: string | null) {
      failures.set(origin, reason === null ? 0 : (failures.get(origin) ?? 0) + 1);
      if (reason !== null) reasons.set(origin, reason);
    },
  };
}
