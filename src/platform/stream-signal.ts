/**
 * The signal of a request whose body is read after the exchange: the caller's signal ends that too. A joined signal leaves no
 * listener on the caller's, which may outlive many requests. React Native cannot join them.
 */
export function streamSignal(controller: AbortController, signal?: AbortSignal): AbortSignal {
  if (!signal) return controller.signal;
  if ('any' in AbortSignal) return AbortSignal.any([signal, controller.signal]);
  signal.addEventListener('abort', () => controller.abort(signal.reason), { once: true });
  return controller.signal;
}
