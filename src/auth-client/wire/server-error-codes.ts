import { type ServerErrorCode, serverErrorCodes } from '../errors.ts';

const known: ReadonlySet<string> = new Set(serverErrorCodes);

/** Whether the code is in the list of the server version that this client was written for. */
export const isServerErrorCode = (code: string): code is ServerErrorCode => known.has(code);

/** The code as a member of the closed union; `unknown` for any other text, such as a code of a newer server. */
export const toServerErrorCode = (code: string): ServerErrorCode =>
  isServerErrorCode(code) ? code : 'unknown';
