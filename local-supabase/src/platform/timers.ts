/** Lets a process end while the timer waits; a browser's worker has no such thing. */
export function unreference(timer: ReturnType<typeof setTimeout>): void {
  const { unref } = timer as { readonly unref?: () => void };
  unref?.call(timer);
}

/** Resolves after the events that wait already. */
export const nextTurn = (): Promise<void> =>
  new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });
