import { type TokenResponse, type User, parseTokenResponse, parseUser } from '../wire/responses.ts';
import { nullish, object, string } from '../../platform/schema.ts';

/** The response to a sign-up: tokens if the project needs no confirmation, else the user alone. */
export function parseSignUp(body: unknown): {
  readonly user: User;
  readonly response: TokenResponse | null;
} {
  if (!hasToken(body)) return { user: parseUser(body), response: null };
  const response = parseTokenResponse(body);
  return { user: response.user as User, response };
}

/** The response to a verification: tokens, or a message after the first half of an email change. */
export function parseVerification(body: unknown): {
  readonly response: TokenResponse | null;
  readonly message: string | null;
} {
  if (hasToken(body)) return { response: parseTokenResponse(body), message: null };
  return { response: null, message: parseMessage(body).msg };
}

const parseMessage = object({ msg: string });

function hasToken(body: unknown): boolean {
  return 'access_token' in Object(body);
}

const parseMessageId = object({ message_id: nullish(string) });

/** The response to a request for a code. */
export function parseSentMessage(body: unknown): { readonly messageId: string | null } {
  return { messageId: parseMessageId(body).message_id ?? null };
}
