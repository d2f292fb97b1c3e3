import type { Readable } from 'supabase-protocol-clients/platform';

/** Resolves when the condition holds after a change, or holds already. */
export function whenTrue(
  { subscribe }: Pick<Readable<unknown>, 'subscribe'>,
  condition: () => boolean,
): Promise<void> {
  return new Promise((resolve) => {
    const check = () => {
      if (!condition()) return;
      stop();
      resolve();
    };
    const stop = subscribe(check);
    check();
  });
}
