/** The messages of a function's process to its parent. */
export type WorkerMessage =
  | { readonly kind: 'ready'; readonly port: number }
  | { readonly kind: 'failed'; readonly reason: string }
  /** The number of promises that `EdgeRuntime.waitUntil` waits for. */
  | { readonly kind: 'tasks'; readonly count: number };
