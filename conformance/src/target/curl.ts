import { redactSecrets } from './redaction.ts';
import type { ConformanceTarget } from './target.ts';

type Keys = Pick<ConformanceTarget, 'anonKey' | 'serviceKey'>;

export interface CurlRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Headers;
  /** As text; null without one. */
  readonly body: string | null;
}

const longestBody = 2_000;

/** Formats a request as a command of a POSIX shell. Keys and tokens become variables: `$ANON_KEY`, `$SERVICE_KEY`, `$TOKEN`. */
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

/** Uses double quotes only if a variable must be expanded. */
function quote(text: string): string {
  if (!/\$(?:ANON_KEY|SERVICE_KEY|TOKEN)\b/.test(text)) return `'${text.replaceAll("'", String.raw`'\''`)}'`;
  const escaped = text.replaceAll(/[\\"`]|\$(?!(?:ANON_KEY|SERVICE_KEY|TOKEN)\b)/g, String.raw`\$&`);
  return `"${escaped}"`;
}
