/** Lets the process end while the timer is pending. No effect in a browser. */
export function unreference(timer: ReturnType<typeof setTimeout>): void {
  const { unref } = timer as { readonly unref?: () => void };
  unref?.call(timer);
}

/** Resolves after all pending events. */
export const nextTurn = (): Promise<void> =>
  new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });
