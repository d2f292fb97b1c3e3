import { redactTokens } from './assertion.ts';
import type { ConformanceTarget } from './target.ts';

type Keys = Pick<ConformanceTarget, 'anonKey' | 'serviceKey'>;

/** Members of JSON bodies, query parameters and headers whose values open something. */
const secretNames =
  'access_token|refresh_token|provider_token|provider_refresh_token|password|current_password|token|token_hash|hashed_token|auth_code|code_verifier|nonce|secret|id_token|assertion|captcha_token|email_otp|client_secret';
const secretMember = new RegExp(`("(?:${secretNames})"\\s*:\\s*)"(?:[^"\\\\]|\\\\.)*"`, 'g');
/** A one-time code, unlike the code of an error, has six to ten digits or is a UUID. */
const oneTimeCode = /("code"\s*:\s*)"(?:\d{6,10}|[\da-f-]{36})"/g;
const secretParameter = new RegExp(`([?&#](?:${secretNames}|code|apikey)=)[^&#\\s"']+`, 'g');

/** A text without keys, tokens, passwords and codes. */
export function redactSecrets(text: string, { anonKey, serviceKey }: Keys): string {
  let redacted = text;
  if (serviceKey !== null && serviceKey !== '') redacted = redacted.replaceAll(serviceKey, '$SERVICE_KEY');
  if (anonKey !== '') redacted = redacted.replaceAll(anonKey, '$ANON_KEY');
  return redactTokens(
    redacted
      .replaceAll(secretMember, '$1"<secret>"')
      .replaceAll(oneTimeCode, '$1"<secret>"')
      .replaceAll(secretParameter, '$1<secret>'),
  );
}

export interface CurlRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Headers;
  /** As text; null without one. */
  readonly body: string | null;
}

const longestBody = 2_000;

/** The request as a command of a POSIX shell. Keys and tokens are variables: `$ANON_KEY`, `$SERVICE_KEY`, `$TOKEN`. */
export function formatCurl({ method, url, headers, body }: CurlRequest, keys: Keys): string {
  const parts = [`curl -i -X ${method} ${quote(redactSecrets(url, keys))}`];
  for (const [name, value] of headers) {
    const shown = redactSecrets(value, keys).replace(/^(Bearer|Basic) (?!\$).+$/i, '$1 $TOKEN');
    parts.push(`-H ${quote(`${name}: ${shown}`)}`);
  }
  if (body !== null && body !== '') {
    const shown = redactSecrets(body, keys);
    parts.push(`--data-raw ${quote(shown.length > longestBody ? `${shown.slice(0, longestBody)}…` : shown)}`);
  }
  return parts.join(' \\\n  ');
}

/** Double quotes only where a variable must be expanded. */
function quote(text: string): string {
  if (!/\$(?:ANON_KEY|SERVICE_KEY|TOKEN)\b/.test(text)) return `'${text.replaceAll("'", String.raw`'\''`)}'`;
  const escaped = text.replaceAll(/[\\"`]|\$(?!(?:ANON_KEY|SERVICE_KEY|TOKEN)\b)/g, String.raw`\$&`);
  return `"${escaped}"`;
}
