import { type NumberRange, rangeProblem } from './number-options.ts';

/** The missing or invalid option of a client, worded as in conformance/protocol/product.md#errors-of-the-application; null if all are valid. */
export function configurationProblem(
  options: ProjectOptions,
  ranges: Readonly<Record<string, NumberRange>> = {},
): string | null {
  const { url, publicUrl = url, apiKey } = options;
  if (!url) return `${incomplete}: url is not set`;
  if (!isHttpUrl(url)) return `${incomplete}: url is not set (it must be an http or https URL)`;
  if (!isHttpUrl(publicUrl)) return `${incomplete}: publicUrl is not set (it must be an http or https URL)`;
  if (!apiKey) return `${incomplete}: apiKey is not set`;
  // A line break is a mistake of copying, and would make every request fail.
  if (!/^[\x20-\x7e]+$/.test(apiKey))
    return `${incomplete}: apiKey is not set (it must be one line of ASCII characters)`;
  return rangeProblem(options, ranges);
}

const isHttpUrl = (text: string) => /^https?:\/\/./.test(text);

const incomplete = 'Supabase configuration incomplete';

interface ProjectOptions {
  readonly url: string;
  readonly publicUrl?: string | undefined;
  readonly apiKey: string;
}

/** The URL of a service of the project: `https://project.supabase.co/rest/v1`. */
export function serviceUrl(projectUrl: string, service: string): string {
  return `${projectUrl.replace(/\/+$/, '')}/${service}/v1`;
}

/** The bearer token of an API key: a legacy key itself; null for a newer key (`sb_…`), which the gateway replaces. */
export function bearerOf(apiKey: string): string | null {
  return apiKey.startsWith('sb_') ? null : apiKey;
}

/** The headers `apikey` and `authorization`, in lower case. */
export function credentialsOf(apiKey: string, token: string | null): Readonly<Record<string, string>> {
  const bearer = token ?? bearerOf(apiKey);
  return { apikey: apiKey, ...(bearer && { authorization: `Bearer ${bearer}` }) };
}
