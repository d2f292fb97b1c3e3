/** An error of the tus protocol: a status and a text, which is that of Supabase's server. */
export class TusError extends Error {
  readonly status: number;
  constructor(status: number, body: string) {
    super(body);
    this.status = status;
  }
}

export const uploadNotFound = () => new TusError(404, 'The file for this url was not found\n');
export const uploadExpired = () => new TusError(410, 'The file for this url no longer exists\n');
export const offsetConflict = () => new TusError(409, 'Upload-Offset conflict\n');
export const sizeExceeded = () => new TusError(413, "upload's size exceeded\n");
export const maximumExceeded = () => new TusError(413, 'Maximum size exceeded\n');
export const invalidLength = () =>
  new TusError(400, 'Upload-Length or Upload-Defer-Length header required\n');
