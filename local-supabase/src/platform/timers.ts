/** A timer: an object in Node, Bun and Deno's compatibility, a number in a browser. */
export type Timer = ReturnType<typeof setTimeout>;

/** Lets a process end while the timer waits; a browser has no process. */
export function unreference(timer: Timer): void {
  const { unref } = timer as { readonly unref?: () => void };
  unref?.call(timer);
}
