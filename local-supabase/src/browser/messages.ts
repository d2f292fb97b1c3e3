/** What a page and the worker tell each other over a port. Ids are the page's. */

/** What a page needs to know of the project. */
export interface ProjectAddresses {
  /** The project's URL. Nothing listens there: requests to it go over the port. */
  readonly url: string;
  /** Mailpit's interface, and the faults below `/_faults/api`. */
  readonly mailboxUrl: string;
  readonly anonKey: string;
  readonly publishableKey: string;
  readonly serviceRoleKey: string;
  readonly secretKey: string;
}

/** How far the start is. */
export type StartProgress =
  /** Another tab runs the project; this one waits until it is closed. */
  | { readonly stage: 'waiting' }
  /** Bytes of the compressed files. */
  | { readonly stage: 'loading'; readonly loadedBytes: number; readonly totalBytes: number }
  | { readonly stage: 'starting' };

export type PageMessage =
  | {
      readonly kind: 'request';
      readonly id: number;
      readonly url: string;
      readonly method: string;
      readonly headers: readonly (readonly [string, string])[];
      readonly redirect: RequestRedirect;
      readonly body: ArrayBuffer | null;
    }
  | { readonly kind: 'abort'; readonly id: number }
  | {
      readonly kind: 'query';
      readonly id: number;
      readonly text: string;
      readonly params: readonly unknown[];
    }
  | { readonly kind: 'advance'; readonly id: number; readonly byMs: number }
  | { readonly kind: 'forget'; readonly id: number }
  | { readonly kind: 'open'; readonly id: number; readonly url: string }
  | { readonly kind: 'send'; readonly id: number; readonly data: string | ArrayBuffer }
  | { readonly kind: 'close'; readonly id: number; readonly code: number; readonly reason: string };

export type WorkerMessage =
  | { readonly kind: 'progress'; readonly progress: StartProgress }
  | { readonly kind: 'ready'; readonly addresses: ProjectAddresses }
  | { readonly kind: 'unusable'; readonly message: string }
  | {
      readonly kind: 'response';
      readonly id: number;
      readonly status: number;
      readonly statusText: string;
      readonly headers: readonly (readonly [string, string])[];
      readonly body: ArrayBuffer | null;
    }
  | { readonly kind: 'result'; readonly id: number; readonly value: unknown }
  | {
      readonly kind: 'failure';
      readonly id: number;
      readonly message: string;
      /** The SQLSTATE of a failed statement. */
      readonly code?: string;
    }
  | { readonly kind: 'opened'; readonly id: number }
  | { readonly kind: 'message'; readonly id: number; readonly data: string | ArrayBuffer }
  | { readonly kind: 'closed'; readonly id: number; readonly code: number; readonly reason: string };

/** The message by which a page gives a worker its port. */
export const CONNECT = 'local-supabase:connect';

/** Closed without a closing frame (RFC 6455 section 7.4.1). */
export const ABNORMAL_CLOSURE = 1006;
