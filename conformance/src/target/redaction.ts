import type { ConformanceTarget } from './target.ts';

type Keys = Pick<ConformanceTarget, 'anonKey' | 'serviceKey'>;

/** Members of JSON bodies, query parameters and headers with secret values. */
const secretNames =
  'access_token|refresh_token|provider_token|provider_refresh_token|password|current_password|token|token_hash|hashed_token|auth_code|code_verifier|nonce|secret|id_token|assertion|captcha_token|email_otp|client_secret|qr_code';
/** The text may end within a value, because servers also truncate bodies. */
const secretMember = new RegExp(String.raw`("(?:${secretNames})"\s*:\s*)"((?:[^"\\]|\\.)*)(?:"|\\?$)`, 'g');
/** A one-time code, unlike an error code, is six to ten digits or a UUID. */
const oneTimeCode = /("code"\s*:\s*)"(\d{6,10}|[\da-f-]{36})"/g;
const recoveryCodes = /("codes"\s*:\s*)\[[^\]]*(?:\]|$)/g;
const secretParameter = new RegExp(String.raw`([?&#](?:${secretNames}|code|apikey)=)([^&#\s"'\\]+)`, 'g');
/** A whole JWT, or one that is truncated at any character. */
const jwt = /\bey[\w-]{8,}(?:\.[\w-]*){0,2}/g;
const opaqueKey = /\bsb_(?:secret|publishable)_[\w-]+/g;

const shortestSecret = 6;

/** The secrets in a body or a URL, which failures may show without their names. */
export function findSecrets(text: string): readonly string[] {
  const found = [secretMember, oneTimeCode, secretParameter].flatMap((pattern) =>
    [...text.matchAll(pattern)].map(([, , value = '']) => value),
  );
  return found.filter((value) => value.length >= shortestSecret);
}

/**
 * Removes keys, tokens, passwords and codes from a text. Redact before truncating: half a token matches no pattern.
 *
 * @param values secrets that the text may contain without their names.
 */
export function redactSecrets(
  text: string,
  { anonKey, serviceKey }: Keys,
  values: Iterable<string> = [],
): string {
  let redacted = text;
  if (serviceKey !== null && serviceKey !== '') redacted = redacted.replaceAll(serviceKey, '$SERVICE_KEY');
  if (anonKey !== '') redacted = redacted.replaceAll(anonKey, '$ANON_KEY');
  redacted = redacted
    .replaceAll(secretMember, '$1"<secret>"')
    .replaceAll(oneTimeCode, '$1"<secret>"')
    .replaceAll(recoveryCodes, '$1["<secret>"]')
    .replaceAll(secretParameter, '$1<secret>')
    .replaceAll(jwt, '<jwt>')
    .replaceAll(opaqueKey, '<key>');
  for (const value of values) redacted = redacted.replaceAll(value, '<secret>');
  return redacted;
}
