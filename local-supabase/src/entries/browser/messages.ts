/** The messages between a page and the worker. The page assigns the ids. */

/** The URLs and keys of a project. */
export interface ProjectAddresses {
  /** The project's URL. No server listens there: requests to it are sent over the port. */
  readonly url: string;
  /** Mailpit's interface, and the faults below `/_faults/api`. */
  readonly mailboxUrl: string;
  readonly anonKey: string;
  readonly publishableKey: string;
  readonly serviceRoleKey: string;
  readonly secretKey: string;
}

/** The progress of a start. */
export type StartProgress =
  /** Waits until the tab that runs the project is closed. */
  | { readonly stage: 'waiting' }
  /** Sizes of the compressed files. */
  | { readonly stage: 'loading'; readonly loadedBytes: number; readonly totalBytes: number }
  | { readonly stage: 'starting' };

export type PageMessage =
  | {
      readonly type: 'request';
      readonly id: number;
      readonly url: string;
      readonly method: string;
      readonly headers: readonly (readonly [string, string])[];
      readonly redirect: RequestRedirect;
      readonly body: ArrayBuffer | null;
    }
  | { readonly type: 'abort'; readonly id: number }
  | {
      readonly type: 'query';
      readonly id: number;
      readonly text: string;
      readonly params: readonly unknown[];
    }
  | { readonly type: 'advance'; readonly id: number; readonly byMs: number }
  | { readonly type: 'forget'; readonly id: number }
  | { readonly type: 'open'; readonly id: number; readonly url: string }
  | { readonly type: 'send'; readonly id: number; readonly data: string | ArrayBuffer }
  | { readonly type: 'close'; readonly id: number; readonly code: number; readonly reason: string };

export type WorkerMessage =
  | { readonly type: 'progress'; readonly progress: StartProgress }
  | { readonly type: 'ready'; readonly addresses: ProjectAddresses }
  | { readonly type: 'unusable'; readonly message: string }
  | {
      readonly type: 'response';
      readonly id: number;
      readonly status: number;
      readonly statusText: string;
      readonly headers: readonly (readonly [string, string])[];
      readonly body: ArrayBuffer | null;
    }
  | { readonly type: 'result'; readonly id: number; readonly value: unknown }
  | {
      readonly type: 'failure';
      readonly id: number;
      readonly message: string;
      /** The SQLSTATE of a failed statement. */
      readonly code?: string;
    }
  | { readonly type: 'opened'; readonly id: number }
  | { readonly type: 'message'; readonly id: number; readonly data: string | ArrayBuffer }
  | { readonly type: 'closed'; readonly id: number; readonly code: number; readonly reason: string };

/** The type of the message with which a page passes a port to a worker. */
export const CONNECT = 'local-supabase:connect';

/** The close code without a closing frame (RFC 6455 section 7.4.1). */
export const ABNORMAL_CLOSURE = 1006;
