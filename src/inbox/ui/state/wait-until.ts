import type { Readable } from 'supabase-protocol-clients/platform';

/** Resolves once the condition holds. */
export function waitUntil(
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
