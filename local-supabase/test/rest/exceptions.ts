const GATEWAY = 'The gateway resolves the path, or refuses it, before PostgREST sees it.';

/** Recorded cases with responses that the embedded service cannot produce, with the reason. */
export const EXCEPTIONS: ReadonlyMap<string, string> = new Map([
  ...['0003', '0004', '0005', '0013', '0014', '0052', '0053', '0068', '0069', '0070'].map(
    (id) => [`path/${id}`, GATEWAY] as const,
  ),
  [
    'range-header/0070',
    'Node reads a header without its closing space (RFC 9110), by which PostgREST ignores the range.',
  ],
  [
    'range-header/0072',
    'Node reads a header without its closing space (RFC 9110), by which PostgREST ignores the range.',
  ],
  [
    'rpc-error/0032',
    'A fetch Response holds statuses up to 599 only; a function that raises PT999 gets a 500.',
  ],
  [
    'method/0109',
    'The embedded gateway refuses the service role key from foreign web pages before PostgREST sees it.',
  ],
]);
