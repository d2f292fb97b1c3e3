import { type SessionWire, type User, parseSession, parseUser } from '../wire/responses.ts';
import { maybe, object, text } from '../wire/wire-shape.ts';

/** A session if the sign-up needs no confirmation, else the bare user. */
export function parseSignUp(body: unknown): { readonly user: User; readonly reply: SessionWire | null } {
  const reply = hasToken(body) ? parseSession(body) : null;
  return { user: reply ? (reply.user as User) : parseUser(body), reply };
}

/** A session, or the message after the first half of an e-mail change. */
export function parseVerification(body: unknown): { reply: SessionWire | null; message: string | null } {
  if (hasToken(body)) return { reply: parseSession(body), message: null };
  return { reply: null, message: parseMessage(body).msg };
}

const parseMessage = object({ msg: text });

function hasToken(body: unknown): boolean {
  return 'access_token' in Object(body);
}

const parseMessageId = object({ message_id: maybe(text) });

/** Id that the SMS provider gave the message, if any. */
export function parseSent(body: unknown): { readonly messageId: string | null } {
  return { messageId: parseMessageId(body ?? {}).message_id ?? null };
}
