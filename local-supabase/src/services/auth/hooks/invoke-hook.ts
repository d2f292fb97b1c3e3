import type { Sql } from '../../../database/database.ts';
import type { AuthContext } from '../context.ts';
import type { Call, JsonObject } from '../http/call.ts';
import { AuthHttpError, internal } from '../http/errors.ts';
import { postToEndpoint } from './endpoint-hook.ts';
import type { HookName, HookTarget } from './hook-settings.ts';

/** The names of hooks in payload metadata. */
const payloadNames: Readonly<Record<HookName, string>> = {
  before_user_created: 'before-user-created',
  custom_access_token: 'customize-access-token',
  mfa_verification_attempt: 'mfa-verification',
  password_verification_attempt: 'password-verification',
  send_email: 'send-email',
  send_sms: 'send-sms',
};

type FunctionTarget = Extract<HookTarget, { type: 'function' }>;

/** Calls the function with the service's own role, so that a missing grant or policy shows. Returns its JSON. */
async function callFunction(
  sql: Sql,
  { schema, name }: FunctionTarget,
  payload: string,
): Promise<string | null> {
  await sql.query(
    `select set_config('role', rolname, true) from pg_roles where rolname = 'supabase_auth_admin'`,
  );
  const [row] = await sql.query<{ response: string | null }>(
    `select "${schema}"."${name}"($1)::text as response`,
    [payload],
  );
  await sql.query(`select set_config('role', 'none', true)`);
  return row?.response ?? null;
}

const unreadable = (cause?: unknown): AuthHttpError => internal('Error unmarshaling JSON output.', cause);

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Throws the error that a hook returned as `{error: {http_code, message}}`; ignores one without a message or with members of other types. */
function throwHookError({ error }: JsonObject): void {
  if (!isObject(error)) return;
  const { message } = error;
  const status = error['http_code'] ?? 0;
  if (typeof message !== 'string' || message === '') return;
  if (typeof status !== 'number' || !Number.isInteger(status)) return;
  const hasStatus = status >= 200 && status <= 599;
  const code = !hasStatus || status === 500 ? 'unexpected_failure' : 'unknown';
  throw new AuthHttpError(hasStatus ? status : 500, code, message);
}

function parseResponse(text: string): JsonObject {
  let response: unknown;
  try {
    response = JSON.parse(text) ?? {};
  } catch (cause) {
    throw unreadable(cause);
  }
  if (!isObject(response)) throw unreadable();
  throwHookError(response);
  return response;
}

/** Reads a string from a hook's response; missing and null are ''. Throws 500 unexpected_failure for another type. */
export function readResponseText(response: JsonObject | null, field: string): string {
  const value = response?.[field] ?? '';
  if (typeof value !== 'string') throw unreadable();
  return value;
}

/** Reads a boolean from a hook's response; missing and null are false. Throws 500 unexpected_failure for another type. */
export function readResponseFlag(response: JsonObject | null, field: string): boolean {
  const value = response?.[field] ?? false;
  if (typeof value !== 'boolean') throw unreadable();
  return value;
}

export const isHookEnabled = (context: AuthContext, name: HookName): boolean => context.hooks.has(name);

/**
 * Calls the project's hook with `payload` and returns its response, or null without a body. Throws the hook's error,
 * and 422 or 500 when it is unreachable or fails.
 *
 * @param sql the current transaction. Default: a function runs in a new transaction, which commits.
 */
export async function invokeHook(
  context: AuthContext,
  call: Call,
  name: HookName,
  payload: JsonObject,
  sql?: Sql,
): Promise<JsonObject | null> {
  const target = context.hooks.get(name);
  if (target === undefined) throw new Error(`The hook ${name} is not enabled`);
  const metadata = {
    uuid: crypto.randomUUID(),
    time: new Date(context.now()).toISOString(),
    name: payloadNames[name],
    ip_address: call.ip,
  };
  const input = JSON.stringify({ metadata, ...payload });
  const run = async (own: Sql): Promise<JsonObject | null> => {
    const text =
      target.type === 'function'
        ? await callFunction(own, target, input)
        : await postToEndpoint(context.transport, target, input, context.now());
    return text === null ? null : parseResponse(text);
  };
  try {
    if (sql !== undefined || target.type === 'endpoint') return await run(sql ?? context.database);
    return await context.database.transaction(run);
  } catch (error) {
    if (error instanceof AuthHttpError) {
      if (error.code === 'hook_timeout' && sql !== undefined)
        context.report(
          new Error(
            `The auth hook ${name} timed out. The database handles no other request until it returns.`,
          ),
        );
      throw error;
    }
    context.report(new Error(`The auth hook ${name} failed`, { cause: error }));
    throw internal(`Error running hook URI: ${target.uri}`, error);
  }
}
