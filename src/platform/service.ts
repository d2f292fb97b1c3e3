/** What is missing or bad among a client's options, in the specification's words (§8); null: nothing. */
export function configurationProblem({ url, apiKey }: ProjectOptions): string | null {
  const isBad = url && !/^https?:\/\/./.test(url);
  if (url && apiKey && !isBad) return null;
  const name = url && !isBad ? 'apiKey' : 'url';
  return `Supabase configuration incomplete: ${name} is not set${isBad ? ' (it must be an http or https URL)' : ''}`;
}

interface ProjectOptions {
  readonly url: string;
  readonly apiKey: string;
}

/** Where a service of the project answers: `https://project.supabase.co/rest/v1`. */
export function serviceUrl(projectUrl: string, service: string): string {
  return `${projectUrl.replace(/\/+$/, '')}/${service}/v1`;
}

/**
 * Who asks, as headers, named in lower case. A legacy key is a token itself, where there is none of a user; one of the newer
 * form is not, and the gateway turns it into one.
 */
export function credentialsOf(apiKey: string, token: string | null): Readonly<Record<string, string>> {
  const bearer = token ?? (apiKey.startsWith('sb_') ? null : apiKey);
  return { apikey: apiKey, ...(bearer && { authorization: `Bearer ${bearer}` }) };
}
