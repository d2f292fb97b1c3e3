import { readParam } from './call.ts';
import { AuthHttpError, OAuthError, WeakPasswordError } from './errors.ts';

export const apiVersionHeader = 'X-Supabase-Api-Version';
const currentVersion = '2024-01-01';
export const unexpectedMessage = 'Unexpected failure, please check server logs for more information';

/** True when the request selects the error form of 2024-01-01 or later; an unparsable header selects the first form. */
function acceptsCurrentForm(headers: Headers): boolean {
  const version = readParam(headers, apiVersionHeader);
  const isDate = /^\d{4}-\d{2}-\d{2}$/.test(version) && !Number.isNaN(Date.parse(`${version}T00:00:00Z`));
  return isDate && version >= currentVersion;
}

interface Fields {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly extra?: Record<string, unknown>;
}

function fieldsOf(error: unknown): Fields {
  if (error instanceof WeakPasswordError)
    return {
      status: 422,
      code: 'weak_password',
      message: error.message,
      extra: { weak_password: { reasons: error.reasons } },
    };
  if (error instanceof AuthHttpError)
    return { status: error.status, code: error.code, message: error.message };
  return { status: 500, code: 'unexpected_failure', message: unexpectedMessage };
}

/** Encodes an error of a route: the OAuth form, or the HTTP form in the version that `requestHeaders` selects. */
export function encodeError(error: unknown, requestHeaders: Headers, responseHeaders?: Headers): Response {
  const headers = new Headers(responseHeaders);
  headers.set('Content-Type', 'application/json');
  const isCurrent = acceptsCurrentForm(requestHeaders);
  if (isCurrent) headers.set(apiVersionHeader, currentVersion);
  if (error instanceof OAuthError)
    return Response.json({ error: error.error, error_description: error.message }, { status: 400, headers });
  const { status, code, message, extra } = fieldsOf(error);
  // As in GoTrue, the code of a hook's error is in the body only.
  if (code !== 'unknown') headers.set('x-sb-error-code', code);
  const body = isCurrent
    ? { code, message, ...extra }
    : {
        code: status,
        error_code: code,
        msg: message,
        // GoTrue numbers its own errors, not those that it did not expect.
        ...(error instanceof AuthHttpError && status >= 500 && { error_id: crypto.randomUUID() }),
        ...extra,
      };
  return Response.json(body, { status, headers });
}
