/** A value that is older than this is read again when a screen that shows it opens (conformance/protocol/product.md#constants). */
export const staleAfterMs = 300_000;
/**
 * A value that no screen has shown for this long is discarded: it is not shown while the device is online (conformance/protocol/product.md#constants).
 * The device keeps it until the sign-out for the time without a connection.
 */
export const discardAfterMs = 1_800_000;

/** A value of the server, and when it was read. */
export interface Cached<Value> {
  readonly value: Value;
  /** Epoch milliseconds. */
  readonly readAtMs: number;
}

export function isStale({ readAtMs }: Cached<unknown>, nowMs: number): boolean {
  return !isYoungerThan(staleAfterMs, readAtMs, nowMs);
}

export function isDiscarded({ readAtMs }: Cached<unknown>, nowMs: number): boolean {
  return !isYoungerThan(discardAfterMs, readAtMs, nowMs);
}

/** A negative age means that the device's clock was set back: the real age is unknown. */
function isYoungerThan(limitMs: number, readAtMs: number, nowMs: number): boolean {
  return nowMs >= readAtMs && nowMs - readAtMs < limitMs;
}
