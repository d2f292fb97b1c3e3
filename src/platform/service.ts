/**
 * What is missing or bad among a client's options, in the specification's words (§8); null: nothing.
 *
 * @param settings by their names, `url` among them.
 */
export function configurationProblem(settings: Readonly<Record<string, string>>): string | null {
  for (const [name, value] of Object.entries(settings)) {
    const isBadUrl = value && name === 'url' && !/^https?:\/\/./.test(value);
    if (!value || isBadUrl)
      return `Supabase configuration incomplete: ${name} is not set${isBadUrl ? ' (it must be an http or https URL)' : ''}`;
  }
  return null;
}

/** Where a service of the project answers: `https://project.supabase.co/rest/v1`. */
export function serviceUrl(projectUrl: string, service: string): string {
  return `${projectUrl.replace(/\/+$/, '')}/${service}/v1`;
}

/**
 * Who asks, as headers, named in lower case. A legacy key is a token itself, where there is none of a user; one of the newer form is not, and
 * the gateway turns it into one.
 */
export function credentialsOf(apiKey: string, token: string | null): Readonly<Record<string, string>> {
  const bearer = token ?? (apiKey.startsWith('sb_') ? null : apiKey);
  return { apikey: apiKey, ...(bearer && { authorization: `Bearer ${bearer}` }) };
}
