/**
 * What a journey needs beyond the URL and the keys of a project, as tags of Playwright. A journey without one of them runs on
 * every project that has the schema of `supabase/`.
 */
export const journeyNeeds = {
  '@clock': "moves the embedded server's clock",
  '@faults': 'makes the embedded server fail or refuse',
  '@sockets': 'counts the sockets of the embedded server',
  '@pictures': "fills the inbox of the seed's users, as the pictures of the screens do",
  '@settings': 'starts an embedded server with settings of its own',
  '@provider': 'signs in at the page of a provider that the embedded server plays',
  '@database': 'reads or changes rows by SQL (--database-url)',
  '@mailbox': 'reads mails (--mailbox)',
  '@functions': 'sends mails by the function notification-mails, with its secrets',
  '@recovery-codes': 'needs an auth service with recovery codes',
} as const;

export type JourneyNeed = keyof typeof journeyNeeds;

const embeddedNeeds = ['@clock', '@faults', '@sockets', '@pictures', '@settings', '@provider'] as const;

/** What a project offers beyond its URL and keys. */
export interface ProjectParts {
  readonly hasDatabase: boolean;
  readonly hasMailbox: boolean;
  readonly hasFunctions: boolean;
  readonly hasRecoveryCodes: boolean;
}

/** The needs that a project other than the embedded server of the tests does not meet. */
export function findUnmetNeeds(project: ProjectParts): readonly JourneyNeed[] {
  return [
    ...embeddedNeeds,
    ...(project.hasDatabase ? [] : (['@database'] as const)),
    ...(project.hasMailbox ? [] : (['@mailbox'] as const)),
    ...(project.hasFunctions && project.hasMailbox ? [] : (['@functions'] as const)),
    ...(project.hasRecoveryCodes ? [] : (['@recovery-codes'] as const)),
  ];
}

/** What a journey has used of its stage. */
export type UsedPart = 'embedded' | '@database' | '@mailbox' | '@functions';

/**
 * Compares a journey's tags with what it used, so that the tags stay true.
 *
 * @param isWhole whether the journey ran to its end: one that failed may not have used everything.
 * @returns a sentence per difference.
 */
export function findWrongTags(
  tags: readonly string[],
  used: ReadonlySet<UsedPart>,
  isWhole: boolean,
): readonly string[] {
  const problems: string[] = [];
  const isEmbedded = embeddedNeeds.some((need) => tags.includes(need));
  if (used.has('embedded') && !isEmbedded)
    problems.push(`It uses the embedded server: tag it with one of ${embeddedNeeds.join(', ')}.`);
  for (const part of ['@database', '@mailbox', '@functions'] as const) {
    if (used.has(part) && !tags.includes(part)) problems.push(`It needs the tag ${part}.`);
    if (isWhole && !used.has(part) && tags.includes(part)) problems.push(`It does not need its tag ${part}.`);
  }
  return problems;
}
