import { readParam } from '../http/call.ts';
import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';

import { decodeBase64, encodeBase64 } from '../../../platform/base64.ts';
import { decodeUtf8, encodeUtf8 } from '../../../platform/bytes.ts';
import type { Transport } from '../context.ts';
import { badRequest, internal, unprocessable } from '../http/errors.ts';

interface Endpoint {
  readonly uri: string;
  readonly secrets: readonly string[];
}

const timeoutMs = 5000;
const backoffMs = 2000;
const maxAttempts = 3;
const maxResponseBytes = 200 * 1024;

const timedOut = (): Error =>
  unprocessable(
    'hook_timeout',
    `Failed to reach hook within maximum time of ${(timeoutMs / 1000).toFixed(6)} seconds`,
  );

/** A signature of the Standard Webhooks specification, over id, time and payload. */
function signPayload(secret: string, id: string, timestamp: string, payload: string): string {
  const key = secret.replace(/^v1,(?:whsec_)?/, '');
  const signed = encodeUtf8(`${id}.${timestamp}.${payload}`);
  return `v1,${encodeBase64(hmac(sha256, decodeBase64(key), signed))}`;
}

function createRequest(endpoint: Endpoint, payload: string, nowMs: number, signal: AbortSignal): Request {
  const id = crypto.randomUUID();
  const timestamp = String(Math.floor(nowMs / 1000));
  const signatures = endpoint.secrets.map((secret) => signPayload(secret, id, timestamp, payload));
  const url = new URL(endpoint.uri);
  // The host's name inside the vendor's containers.
  if (url.hostname === 'host.docker.internal') url.hostname = 'localhost';
  return new Request(url, {
    method: 'POST',
    signal,
    body: payload,
    headers: {
      'Content-Type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': timestamp,
      'webhook-signature': signatures.join(', '),
    },
  });
}

async function readBody(response: Response): Promise<string> {
  const contentType = readParam(response.headers, 'content-type');
  const refused = (why: string): Error => badRequest('hook_payload_invalid_content_type', why);
  if (contentType === '') throw refused('Invalid Content-Type: Missing Content-Type header');
  if (!/^\s*application\/json\s*(;|$)/i.test(contentType))
    throw refused(`Invalid JSON response. Received content-type: ${contentType}`);
  const bytes = await response.arrayBuffer();
  if (bytes.byteLength > maxResponseBytes)
    throw unprocessable(
      'hook_payload_over_size_limit',
      `Payload size exceeded size limit of ${maxResponseBytes} bytes`,
    );
  return decodeUtf8(bytes);
}

/** Reads the endpoint's response: its JSON, null for 204, or undefined when the request should be retried. */
async function readText(response: Response): Promise<string | null | undefined> {
  const isBusy = response.status === 429 || response.status === 503;
  if (isBusy && response.headers.get('retry-after')) return undefined;
  switch (response.status) {
    case 200:
    case 202:
      return readBody(response);
    case 204:
      return null;
    case 400:
      throw internal('Invalid payload sent to hook');
    case 401:
      throw internal('Hook requires authorization token');
    default:
      throw internal(
        isBusy
          ? 'Service currently unavailable due to hook'
          : `Unexpected status code returned from hook: ${response.status}`,
      );
  }
}

/** Sends the request; null when the endpoint is unreachable and another attempt is left. */
async function attempt(
  transport: Transport,
  request: Request,
  signal: AbortSignal,
  isLast: boolean,
): Promise<Response | null> {
  try {
    return await transport.fetch(request);
  } catch (cause) {
    const isTimeout = cause instanceof Error && cause.name === 'TimeoutError';
    if (isTimeout || signal.aborted) throw timedOut();
    if (isLast) throw unprocessable('hook_timeout_after_retry', 'Failed to reach hook after maximum retries');
  }
  await transport.sleep(backoffMs, signal).catch(() => {
    throw timedOut();
  });
  return null;
}

/**
 * Posts the signed `payload` to an endpoint, with at most three attempts in five seconds. Returns its JSON, or null for
 * 204. Throws 422 hook_timeout, hook_timeout_after_retry, hook_payload_over_size_limit; 400
 * hook_payload_invalid_content_type; 500 unexpected_failure for any other status.
 */
export async function postToEndpoint(
  transport: Transport,
  endpoint: Endpoint,
  payload: string,
  nowMs: number,
): Promise<string | null> {
  const signal = AbortSignal.timeout(timeoutMs);
  for (let count = 1; count <= maxAttempts; count += 1) {
    const request = createRequest(endpoint, payload, nowMs, signal);
    const response = await attempt(transport, request, signal, count === maxAttempts);
    const text = response === null ? undefined : await readText(response);
    if (text !== undefined) return text;
  }
  throw internal('Service currently unavailable due to hook');
}
