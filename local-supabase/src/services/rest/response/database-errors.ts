import type { DatabaseError } from '../../../database/database-error.ts';
import { RestError, invalidRaise } from '../request/errors.ts';

/** HTTP statuses by SQLSTATE or its class; other errors are 400. */
const STATUS: Readonly<Record<string, number>> = {
  '08': 503,
  '09': 500,
  '0L': 403,
  '0P': 403,
  '21000': 500,
  '23503': 409,
  '23505': 409,
  '25006': 405,
  '25': 500,
  '28': 403,
  '2D': 500,
  '38': 500,
  '39': 500,
  '3B': 500,
  '40': 500,
  '42883': 404,
  '42P01': 404,
  '42P17': 500,
  '53': 503,
  '53400': 500,
  '54': 500,
  '55': 500,
  '57': 500,
  '57P01': 503,
  '58': 500,
  F0: 500,
  HV: 500,
  P0: 500,
  P0001: 400,
  XX: 500,
};

/**
 * Converts PostgreSQL's error to PostgREST's.
 *
 * @param isAnonymous whether the request runs as the anonymous role: a missing privilege is then 401.
 * @see https://docs.postgrest.org/en/stable/references/errors.html
 */
export function fromDatabaseError(error: DatabaseError, isAnonymous: boolean): RestError {
  if (error.code === 'PGRST') return fromRaise(error);
  const status = statusOf(error, isAnonymous);
  const { code, message, detail: details, hint } = error;
  const headers = status === 401 ? ([['www-authenticate', 'Bearer']] as const) : [];
  return new RestError(status, { code, message, details: details ?? null, hint: hint ?? null }, headers);
}

function statusOf({ code, message }: DatabaseError, isAnonymous: boolean): number {
  if (code.startsWith('PT')) return /\d{3}/.test(code) ? Number(code.slice(2)) : 500;
  if (code === '42501') return isAnonymous ? 401 : 403;
  if (code === '21000' && message.endsWith('requires a WHERE clause')) return 400;
  if (code === '22023') return /^role.*does not exist$/s.test(message) ? 401 : 400;
  if (code === '42883' && message.startsWith('function xmlagg(')) return 406;
  return STATUS[code] ?? STATUS[code.slice(0, 2)] ?? 400;
}

const MESSAGE_HINT =
  "MESSAGE must be a JSON object with obligatory keys: 'code', 'message' and optional keys: 'details', 'hint'.";
const DETAIL_HINT =
  "DETAIL must be a JSON object with obligatory keys: 'status', 'headers' and optional key: 'status_text'.";

/** `RAISE SQLSTATE 'PGRST'` defines the whole response in JSON. */
function fromRaise({ message, detail }: DatabaseError): RestError {
  const body = parseObject(message);
  const isBody =
    body !== undefined &&
    isText(body['code']) &&
    isText(body['message']) &&
    isTextOrNone(body['details']) &&
    isTextOrNone(body['hint']);
  if (!isBody) return invalidRaise(`Invalid JSON value for MESSAGE: '${message}'`, MESSAGE_HINT);
  if (detail === undefined) return invalidRaise('DETAIL is missing in the RAISE statement', DETAIL_HINT);
  const response = parseObject(detail);
  const headers = response && parseHeaders(response['headers']);
  const status = response?.['status'];
  if (
    !headers ||
    typeof status !== 'number' ||
    !Number.isInteger(status) ||
    !isTextOrNone(response['status_text'])
  ) {
    return invalidRaise(`Invalid JSON value for DETAIL: '${detail}'`, DETAIL_HINT);
  }
  const {
    code,
    message: text,
    details = null,
    hint = null,
  } = body as Readonly<Record<string, string | null>>;
  return new RestError(status, { code: code ?? '', message: text ?? '', details, hint }, headers);
}

function parseHeaders(value: unknown): readonly (readonly [string, string])[] | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const entries = Object.entries(value);
  return entries.every((entry): entry is [string, string] => isText(entry[1])) ? entries : undefined;
}

function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value = JSON.parse(text) as unknown;
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

const isText = (value: unknown): value is string => typeof value === 'string';
const isTextOrNone = (value: unknown): boolean => value === undefined || value === null || isText(value);
