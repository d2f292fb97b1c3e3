/**
 * Percent-encodes a text as one segment of a URL's path. A text that a URL parser or a gateway would resolve away is refused,
 * because the request would then address another resource: empty, `.`, `..`, also percent-encoded, next to a slash or backslash,
 * or with the tabs and line breaks that URL parsers drop.
 *
 * @param refuse throws the client's error, by the reason.
 */
export function encodeSegment(text: string, refuse: (reason: string) => never): string {
  if (!isSegment(text)) return refuse(`${JSON.stringify(text)} cannot be a segment of a URL's path`);
  return encodeURIComponent(text);
}

function isSegment(text: unknown): boolean {
  if (typeof text !== 'string' || loneSurrogate.test(text)) return false;
  const pieces = decodeDelimiters(text).split(/[/\\]/);
  return pieces.some((piece) => piece !== '') && !pieces.some((piece) => piece === '.' || piece === '..');
}

/** `encodeURIComponent` throws for a lone surrogate. */
const loneSurrogate = /[\ud800-\udfff]/u;

/** Decodes and drops repeatedly, because each proxy on the way may do so once. */
function decodeDelimiters(text: string): string {
  const decoded = text
    .replaceAll(/[\t\n\r]/g, '')
    .replaceAll(/%(2[ef5]|5c|0[9ad])/gi, (_match, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    );
  return decoded === text ? text : decodeDelimiters(decoded);
}
