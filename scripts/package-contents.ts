import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly author?: string;
  readonly homepage?: string;
  readonly bugs?: { readonly url: string };
  readonly repository?: { readonly type: string; readonly url: string; readonly directory?: string };
  readonly keywords?: readonly string[];
  readonly exports: Readonly<Record<string, unknown>>;
  /** Other packages that this one brings along, in `node_modules`. */
  readonly bundleDependencies?: readonly string[];
}

export const readManifest = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;

/** The owner of the repository in the root's manifest until there is one; no release may name it. */
const placeholderOwner = 'your-organization';

/**
 * Adds what every package has: its changes, links that lead somewhere within the package, the author and the repository, by which the
 * registry verifies where the package was built. In a workflow the repository is the workflow's own.
 *
 * @param source the part's folder in the repository.
 */
export async function finishPackage(folder: string, source: string): Promise<void> {
  await copyFile(join(source, 'CHANGELOG.md'), join(folder, 'CHANGELOG.md'));
  for (const name of filesOf(folder).filter((each) => each.endsWith('.md'))) {
    const file = join(folder, name);
    await writeFile(file, withoutDeadLinks(await readFile(file, 'utf8'), join(folder, dirname(name))));
  }
  const { author, homepage = '' } = readManifest('.');
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository } = process.env;
  const address = server && repository ? `${server}/${repository}` : homepage;
  const manifest = {
    ...readManifest(folder),
    author,
    homepage: `${address}/tree/main/${source}#readme`,
    bugs: { url: `${address}/issues` },
    repository: { type: 'git', url: `git+${address}.git`, directory: source },
  };
  await writeFile(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
}

const metadata = ['author', 'homepage', 'bugs', 'repository', 'keywords'] as const;

/** A link to a file of the repository that the package lacks becomes its text. */
export function withoutDeadLinks(markdown: string, folder: string): string {
  return markdown.replaceAll(
    /\[([^\]]+)\]\(([^)#\s:]+)(?:#[^)\s]*)?\)/g,
    (link, text: string, path: string) => (existsSync(join(folder, path)) ? link : text),
  );
}

const required = ['README.md', 'LICENSE', 'CHANGELOG.md', 'package.json'];

/**
 * Files that a package contains although its users do not need them, or that it lacks, and what the registry would not show of it.
 *
 * @param isRelease whether the package is published: it then names no placeholder.
 */
export function contentProblems(folder: string, isRelease = false): readonly string[] {
  const manifest = readManifest(folder);
  const { name, version, exports, repository } = manifest;
  const files = filesOf(folder);
  const texts = files.filter((file) => /\.(?:[cm]?js|ts|json|md|sql|map)$/.test(file));
  const changes = existsSync(join(folder, 'CHANGELOG.md'))
    ? readFileSync(join(folder, 'CHANGELOG.md'), 'utf8')
    : '';
  return [
    ...required.filter((file) => !files.includes(file)).map((file) => `${file} is missing`),
    ...files.filter((file) => /\.(?:test|spec|snap)\b|(?:^|\/)node_modules\//.test(file)),
    ...Object.keys(exports)
      .filter((entry) => !/\.(?:js|json)$/.test(entry) && !JSON.stringify(exports[entry]).includes('.d.ts'))
      .map((entry) => `${entry} has no types`),
    ...texts
      .filter((file) => readFileSync(join(folder, file), 'utf8').includes(process.cwd()))
      .map((file) => `${file} names the folder in which it was built`),
    ...metadata
      .filter((field) => Object.keys(manifest[field] ?? {}).length === 0)
      .map((field) => `package.json has no ${field}`),
    ...(isRelease && repository?.url.includes(`/${placeholderOwner}/`)
      ? [`repository is that of ${placeholderOwner}`]
      : []),
    ...(changes.includes(`\n## ${version}\n`) ? [] : [`CHANGELOG.md has no section ${version}`]),
  ].map((problem) => `${name}: ${problem}`);
}

/** The files of a package, without those of the packages that it bundles. */
function filesOf(folder: string): readonly string[] {
  const { bundleDependencies = [] } = readManifest(folder);
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (name) =>
      statSync(join(folder, name)).isFile() &&
      !bundleDependencies.some((bundled) => name.startsWith(`node_modules/${bundled}/`)),
  );
}
