/** The missing or invalid option of a client, in the words of conformance/protocol/product.md#errors-of-the-application; null if there is none. */
export function configurationProblem({ url, apiKey }: ProjectOptions): string | null {
  if (!url) return `${incomplete}: url is not set`;
  if (!/^https?:\/\/./.test(url)) return `${incomplete}: url is not set (it must be an http or https URL)`;
  if (!apiKey) return `${incomplete}: apiKey is not set`;
  // A line break is a mistake of copying, and would make every request fail.
  if (!/^[\x20-\x7e]+$/.test(apiKey))
    return `${incomplete}: apiKey is not set (it must be one line of ASCII characters)`;
  return null;
}

const incomplete = 'Supabase configuration incomplete';

interface ProjectOptions {
  readonly url: string;
  readonly apiKey: string;
}

/** The URL of a service of the project: `https://project.supabase.co/rest/v1`. */
export function serviceUrl(projectUrl: string, service: string): string {
  return `${projectUrl.replace(/\/+$/, '')}/${service}/v1`;
}

/**
 * The headers `apikey` and `authorization`, in lower case. Without a user's token, a legacy key is the bearer token as well; a key
 * of the newer form (`sb_…`) is no token, and the gateway replaces it by one.
 */
export function credentialsOf(apiKey: string, token: string | null): Readonly<Record<string, string>> {
  const bearer = token ?? (apiKey.startsWith('sb_') ? null : apiKey);
  return { apikey: apiKey, ...(bearer && { authorization: `Bearer ${bearer}` }) };
}
