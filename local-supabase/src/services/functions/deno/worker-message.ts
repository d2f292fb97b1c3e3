/** The messages of a function's process to its parent. */
export type WorkerMessage =
  | { readonly type: 'ready'; readonly port: number }
  | { readonly type: 'failed'; readonly reason: string }
  /** The number of promises that `EdgeRuntime.waitUntil` waits for. */
  | { readonly type: 'tasks'; readonly count: number };
