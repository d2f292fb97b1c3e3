import { exceedsPayloadLimit } from './channel/payload-size.ts';
import { isRecord } from './subscription/term.ts';

export interface BatchMessage {
  readonly topic: string;
  readonly event: string;
  readonly payload: Record<string, unknown>;
  readonly isPrivate: boolean;
  readonly id: string | undefined;
}

export type Batch =
  | { readonly ok: true; readonly messages: readonly BatchMessage[] }
  | { readonly ok: false; readonly errors: readonly unknown[] };

export const BLANK = "can't be blank";
const INVALID = 'is invalid';

/** Validates a batch; the errors are those of the real server. */
export function parseBatch(body: unknown, maxPayloadKb: number): Batch {
  const given = isRecord(body) ? body['messages'] : undefined;
  if (given === undefined) return { ok: false, errors: [BLANK] };
  // An object counts as the list of its members, in the order of their numbers.
  const messages = isRecord(given) ? Object.values(given) : given;
  if (!Array.isArray(messages) || !messages.every(isRecord)) return { ok: false, errors: [INVALID] };
  if (messages.length === 0) return { ok: false, errors: [BLANK] };
  const errors = messages.map((message) => errorsOf(message, maxPayloadKb));
  if (errors.some((fields) => Object.keys(fields).length > 0)) return { ok: false, errors };
  return { ok: true, messages: messages.map(batchMessage) };
}

function errorsOf(message: Record<string, unknown>, maxPayloadKb: number): Record<string, string[]> {
  const { payload } = message;
  const errors: Record<string, string | null> = {
    topic: textError(message['topic']),
    event: textError(message['event']),
    payload: payloadError(payload, maxPayloadKb),
    private: BOOLEANS.has(message['private']) ? null : INVALID,
    id: isOptionalText(message['id']) ? null : INVALID,
  };
  return Object.fromEntries(
    Object.entries(errors).flatMap(([field, error]) => (error === null ? [] : [[field, [error]]])),
  );
}

function textError(value: unknown): string | null {
  if (value === undefined || value === null) return BLANK;
  if (typeof value !== 'string') return INVALID;
  return value.trim() === '' ? BLANK : null;
}

function payloadError(value: unknown, maxPayloadKb: number): string | null {
  if (value === undefined || value === null) return BLANK;
  if (!isRecord(value)) return INVALID;
  return exceedsPayloadLimit(value, maxPayloadKb) ? 'Payload size exceeds tenant limit' : null;
}

const BOOLEANS = new Map<unknown, boolean>([
  [undefined, false],
  [null, false],
  [true, true],
  [false, false],
  ['true', true],
  ['false', false],
  ['1', true],
  ['0', false],
]);
const isOptionalText = (value: unknown): boolean =>
  value === undefined || value === null || typeof value === 'string';

const batchMessage = (message: Record<string, unknown>): BatchMessage => ({
  topic: String(message['topic']),
  event: String(message['event']),
  payload: isRecord(message['payload']) ? message['payload'] : {},
  isPrivate: BOOLEANS.get(message['private']) === true,
  id: typeof message['id'] === 'string' ? message['id'] : undefined,
});
