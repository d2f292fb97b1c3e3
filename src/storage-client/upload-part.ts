import type { Clock, Platform, Timer } from '../platform/platform.ts';
import { createRuntimeXhr } from '../platform/xhr.ts';
import { StorageError } from './errors.ts';

/** One part of an upload. */
export interface PartRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Blob;
  readonly signal?: AbortSignal | undefined;
  /** The part fails when nothing was sent for so long. */
  readonly stallTimeoutMs: number;
  /** Called with the bytes of this part that have left. */
  readonly onProgress: (sentBytes: number) => void;
}

/** fetch reports no progress of a body in flight: 6 MiB within ten minutes are 84 kbit/s. */
const fetchPartTimeoutMs = 600_000;

/**
 * Sends a part by PATCH. An XMLHttpRequest reports what was sent, so a part is cut short only when it stalls; without one the
 * part has ten minutes.
 *
 * @throws {StorageError} `timeout`, `aborted`, `network`.
 */
export function sendPart(
  { fetch, clock, createXhr = createRuntimeXhr }: Pick<Platform, 'fetch' | 'clock' | 'createXhr'>,
  request: PartRequest,
): Promise<Response> {
  return createXhr ? sendByXhr(createXhr(), clock, request) : sendByFetch(fetch, clock, request);
}

function sendByXhr(
  xhr: XMLHttpRequest,
  clock: Clock,
  { url, headers, body, signal, stallTimeoutMs, onProgress }: PartRequest,
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
      onProgress(loaded);
    };
    xhr.onload = () => end(() => resolve(toResponse(xhr)));
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

async function sendByFetch(
  fetch: Platform['fetch'],
  clock: Clock,
  { url, headers, body, signal }: PartRequest,
): Promise<Response> {
  const controller = new AbortController();
  const abort = () => controller.abort(signal?.reason);
  if (signal?.aborted) abort();
  signal?.addEventListener('abort', abort);
  let isLate = false;
  const deadline = clock.setTimer(() => {
    isLate = true;
    controller.abort();
  }, fetchPartTimeoutMs);
  try {
    return await fetch(url, { method: 'PATCH', headers, body, signal: controller.signal });
  } catch (cause) {
    if (signal?.aborted) throw new StorageError('aborted', 'The upload was aborted', { cause });
    throw isLate
      ? new StorageError('timeout', `The part was not sent within ${fetchPartTimeoutMs} ms`, { cause })
      : new StorageError('network', 'The part could not be sent', { cause });
  } finally {
    deadline.cancel();
    signal?.removeEventListener('abort', abort);
  }
}
