/** Where a service of the project answers: `https://project.supabase.co/rest/v1`. */
export function serviceUrl(projectUrl: string, service: string): string {
  return `${projectUrl.replace(/\/+$/, '')}/${service}/v1`;
}

/**
 * Who asks, as headers. A legacy key is a token itself, where there is none of a user; one of the newer form is not, and
 * the gateway turns it into one.
 */
export function credentialsOf(apiKey: string, token: string | null): Readonly<Record<string, string>> {
  const bearer = token ?? (apiKey.startsWith('sb_') ? null : apiKey);
  return { apikey: apiKey, ...(bearer && { Authorization: `Bearer ${bearer}` }) };
}
