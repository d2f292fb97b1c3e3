import type { ServiceName } from './log.ts';

/** The arguments of a client's error for a response that its service did not send. */
export type ForeignResponse = readonly [
  code: 'not-the-service',
  message: string,
  fields: { readonly status: number; readonly cause?: unknown },
];

const excerptLength = 100;
/** A longer word may be a token, or a URL that carries one. */
const longestWord = 30;

/**
 * Describes a response that the service does not send: a network's sign-in page, a host's fallback page, a firewall's challenge.
 * The message has the status, the type and the first words of a page; JSON is not quoted, since it may hold secrets.
 *
 * @param cause why the response is not the service's. Default: its status and type say so.
 */
export function foreignResponse(
  service: ServiceName,
  { status, headers }: Pick<Response, 'status' | 'headers'>,
  text: string,
  cause?: unknown,
): ForeignResponse {
  const type = headers.get('content-type')?.split(';')[0] ?? (text ? 'no type' : 'no body');
  const words = firstWords(text);
  const message = `Not a response of the ${service} service (HTTP ${status}, ${type})${words && `: ${words}`}`;
  return ['not-the-service', message, cause === undefined ? { status } : { status, cause }];
}

function firstWords(text: string): string {
  if (/^\s*["[{]/.test(text)) return '';
  const visible = text.slice(0, 4_000).replace(/<(script|style)\b.*?<\/\1>|<!--.*?-->|<[^>]*>/gis, ' ');
  const words = visible.split(/\s+/).filter(Boolean);
  const safe = words.map((word) => (word.length > longestWord ? '…' : word)).join(' ');
  return safe.length > excerptLength ? `${safe.slice(0, excerptLength)}…` : safe;
}
