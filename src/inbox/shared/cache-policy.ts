/** A value that is older than this is read again when a screen that shows it opens (conformance/protocol/product.md#constants). */
export const staleAfterMs = 300_000;
/** A value that no screen has shown for this long is discarded, in memory and on the device (conformance/protocol/product.md#constants). */
export const discardAfterMs = 1_800_000;
