import type { Clock, Timer } from '../platform/platform.ts';
import { StorageError } from './errors.ts';

export interface PartRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Blob;
  readonly signal?: AbortSignal | undefined;
  /** The part fails when nothing was sent for this many milliseconds. */
  readonly stallTimeoutMs: number;
  /** Called with the bytes of this part that have left. */
  readonly onPartProgress: (sentBytes: number) => void;
}

/** The runtime's XMLHttpRequest; undefined in Node and service workers. */
export const createRuntimeXhr: (() => XMLHttpRequest) | undefined =
  typeof XMLHttpRequest === 'undefined' ? undefined : () => new XMLHttpRequest();

/**
 * Sends a part by PATCH. An XMLHttpRequest reports what was sent, so that a part is cut short only when it stalls.
 *
 * @throws {StorageError} `timeout`, `aborted`, `network`.
 */
export function sendByXhr(
  xhr: XMLHttpRequest,
  clock: Clock,
  { url, headers, body, signal, stallTimeoutMs, onPartProgress }: PartRequest,
): Promise<Response> {
  return new Promise((resolve, reject) => {
    let stall: Timer | undefined;
    const end = (settle: () => void) => {
      stall?.cancel();
      signal?.removeEventListener('abort', abort);
      settle();
    };
    const fail = (error: StorageError) =>
      end(() => {
        reject(error);
        xhr.abort();
      });
    const abort = () =>
      fail(new StorageError('aborted', 'The upload was aborted', { cause: signal?.reason }));
    const watch = () => {
      stall?.cancel();
      stall = clock.setTimer(
        () => fail(new StorageError('timeout', `Nothing was sent for ${stallTimeoutMs} ms`)),
        stallTimeoutMs,
      );
    };
    if (signal?.aborted) return abort();
    signal?.addEventListener('abort', abort);
    xhr.open('PATCH', url);
    for (const [name, value] of Object.entries(headers)) xhr.setRequestHeader(name, value);
    xhr.upload.onprogress = ({ loaded }) => {
      watch();
      onPartProgress(loaded);
    };
    xhr.onload = () => {
      // An XMLHttpRequest follows every redirect by itself: a response from another origin confirms nothing.
      if (xhr.responseURL && new URL(xhr.responseURL).origin !== new URL(url).origin)
        fail(new StorageError('redirected', 'The server redirected the part to another origin'));
      else end(() => resolve(toResponse(xhr)));
    };
    xhr.onerror = () => end(() => reject(new StorageError('network', 'The part could not be sent')));
    watch();
    xhr.send(body);
  });
}

function toResponse(xhr: XMLHttpRequest): Response {
  const headers = new Headers();
  for (const line of xhr.getAllResponseHeaders().trim().split(/\r?\n/)) {
    const colon = line.indexOf(':');
    if (colon > 0) headers.append(line.slice(0, colon), line.slice(colon + 1).trim());
  }
  const hasBody = xhr.status !== 204 && xhr.status !== 304;
  return new Response(hasBody ? xhr.responseText : null, { status: xhr.status, headers });
}
