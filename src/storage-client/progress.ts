/**
 * Called as bytes are transferred.
 *
 * @param doneBytes bytes so far.
 * @param totalBytes bytes in all; null if the server does not send it.
 */
export type ProgressListener = (doneBytes: number, totalBytes: number | null) => void;

/** The body as a Blob; the listener is called as it arrives. */
export async function readBlob(response: Response, onProgress?: ProgressListener): Promise<Blob> {
  if (!onProgress || !response.body) return response.blob();
  const total = response.headers.get('content-length');
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let done = 0;
  const reader = response.body.getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    parts.push(part.value);
    done += part.value.byteLength;
    onProgress(done, total === null ? null : Number(total));
  }
  return new Blob(parts, { type: response.headers.get('content-type') ?? '' });
}
