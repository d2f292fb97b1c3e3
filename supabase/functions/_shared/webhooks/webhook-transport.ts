import { lookup as lookupHost } from 'node:dns/promises';
import { BlockList, isIP } from 'node:net';
import { messageOf } from '../runtime/failure-log.ts';
import type { Runtime } from '../runtime/runtime.ts';
import { readRetryAfterMs } from '../runtime/response-rules.ts';
import { signWebhook } from '../runtime/webhook-signature.ts';

export interface WebhookRequest {
  readonly id: string;
  readonly url: string;
  /** `whsec_…` */
  readonly secret: string;
  /** JSON. */
  readonly body: string;
}

/** How the endpoint responded. */
export type WebhookOutcome =
  | { readonly outcome: 'sent' }
  | {
      /** `gone`: the endpoint accepts no more webhooks. */
      readonly outcome: 'failed' | 'gone';
      readonly reason: string;
      readonly retrySeconds: number | null;
    };

/** Signs webhooks and sends them. */
export interface WebhookTransport {
  /** Never rejects. */
  send(request: WebhookRequest): Promise<WebhookOutcome>;
}

export interface WebhookTransportOptions {
  readonly runtime: Runtime;
  /** Finds all addresses of a host. Default: by the system's resolver. */
  readonly lookup?: (
    host: string,
    options: { readonly all: true },
  ) => Promise<readonly { readonly address: string }[]>;
}

const timeoutMs = 10_000;

/** Addresses of no public host (the registries of special-purpose addresses, RFC 6890). */
const specialAddresses = new BlockList();
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const)
  specialAddresses.addSubnet(network, prefix, 'ipv4');
const globalUnicast = new BlockList();
globalUnicast.addSubnet('2000::', 3, 'ipv6');
/** Teredo, documentation and 6to4, which embed or replace other addresses. */
const specialUnicast = new BlockList();
for (const [network, prefix] of [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const)
  specialUnicast.addSubnet(network, prefix, 'ipv6');

export function isPublicAddress(address: string): boolean {
  const version = isIP(address);
  if (version === 4) return !specialAddresses.check(address, 'ipv4');
  return version === 6 && globalUnicast.check(address, 'ipv6') && !specialUnicast.check(address, 'ipv6');
}

/** Requests go to public hosts by https, and to the origins of WEBHOOK_ORIGINS, for development and tests. No redirect is followed. */
export function createWebhookTransport({
  runtime: { env, fetch, now },
  lookup = lookupHost,
}: WebhookTransportOptions): WebhookTransport {
  const knownOrigins = new Set((env['WEBHOOK_ORIGINS'] ?? '').split(/[\s,]+/));
  const obstacleOf = async (url: string): Promise<string | null> => {
    const { origin, protocol, hostname } = new URL(url);
    if (knownOrigins.has(origin)) return null;
    if (protocol !== 'https:' || isIP(hostname) !== 0 || hostname.startsWith('['))
      return 'The endpoint is not https to a host name';
    const found = await lookup(hostname, { all: true });
    return found.length > 0 && found.every(({ address }) => isPublicAddress(address))
      ? null
      : 'The endpoint has an address of no public host';
  };
  return {
    async send({ id, url, secret, body }) {
      try {
        const obstacle = await obstacleOf(url);
        if (obstacle !== null) return { outcome: 'failed', reason: obstacle, retrySeconds: null };
        const response = await fetch(url, {
          method: 'POST',
          headers: { 'content-type': 'application/json', ...signWebhook(id, body, secret, now()) },
          body,
          redirect: 'manual',
          signal: AbortSignal.timeout(timeoutMs),
        });
        await response.body?.cancel();
        return outcomeOf(response, now());
      } catch (problem) {
        const reason = messageOf(problem);
        return { outcome: 'failed', reason, retrySeconds: null };
      }
    },
  };
}

/** By the specification of Standard Webhooks: any 2xx is success, 410 ends the requests to the endpoint, everything else is retried. */
function outcomeOf({ status, headers }: Response, nowMs: number): WebhookOutcome {
  if (status >= 200 && status < 300) return { outcome: 'sent' };
  const retryAfterMs = readRetryAfterMs(headers, nowMs);
  return {
    outcome: status === 410 ? 'gone' : 'failed',
    reason: `The endpoint responded ${status}`,
    retrySeconds: retryAfterMs > 0 ? Math.ceil(retryAfterMs / 1000) : null,
  };
}
