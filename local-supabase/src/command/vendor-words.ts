/** The vendor's commands with the equivalent command of this CLI. Further arguments stay unchanged. */
const aliases: readonly (readonly [words: readonly string[], command: string])[] = [
  [['db', 'reset'], 'reset'],
  [['migration', 'up'], 'migrate'],
  [['gen', 'types', 'typescript'], 'types'],
  [['gen', 'types'], 'types'],
  [['test', 'db'], 'test'],
];

/** Replaces the vendor's words for a command with those of this one. */
export function translate(words: readonly string[]): readonly string[] {
  const found = aliases.find(([vendor]) => vendor.every((word, index) => words[index] === word));
  return found ? [found[1], ...words.slice(found[0].length)] : words;
}

/** Commands that the vendor's CLI runs on this database by `--db-url`, without Docker. */
const byDatabaseUrl = /^(?:db (?:push|advisors|query)|migration (?:list|repair|squash|down|fetch)|inspect)\b/;
const ofDocker = /^db (?:pull|lint|start|schema)\b/;
const ofPlatform =
  /^(?:login|logout|link|unlink|projects|orgs|branches|secrets|domains|ssl-enforcement|config|functions (?:deploy|list|delete|download))\b/;

/** A sentence about a command of the vendor's CLI that is not supported; undefined for any other. */
export function hintFor(words: readonly string[]): string | undefined {
  const text = words.join(' ');
  const [byUrl, docker, platform] = [byDatabaseUrl, ofDocker, ofPlatform].map(
    (pattern) => pattern.exec(text)?.[0],
  );
  if (byUrl !== undefined)
    return `${byUrl} is not supported. Run it with the vendor's CLI on this database: npx supabase ${byUrl} --db-url URL, with the DB_URL of local-supabase status`;
  if (docker !== undefined) return `${docker} is not supported. The vendor's CLI needs Docker for it`;
  if (platform !== undefined)
    return `${platform} is for hosted projects. Run it with the vendor's CLI: npx supabase ${platform}`;
  return undefined;
}
