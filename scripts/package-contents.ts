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
  const changes = readFileIfAny(folder, 'CHANGELOG.md');
  return [
    ...required.filter((file) => !files.includes(file)).map((file) => `${file} is missing`),
    ...files.filter((file) => /\.(?:test|spec|snap)\b|(?:^|\/)node_modules\//.test(file)),
    ...Object.keys(exports)
      .filter((entry) => !/\.(?:js|json)$/.test(entry) && !JSON.stringify(exports[entry]).includes('.d.ts'))
      .map((entry) => `${entry} has no types`),
    ...files
      .filter((file) => file.endsWith('.d.ts') && hasOwnSource(file) && !leadsToSources(folder, file))
      .map((file) => `${file} leads an editor to no source`),
    ...contributorsSections(readFileIfAny(folder, 'README.md')).map(
      (title) => `README.md has "${title}", which is for contributors`,
    ),
    ...(installs(readFileIfAny(folder, 'README.md'), name)
      ? []
      : [`README.md has no npm install of ${name}`]),
    ...withoutLicenseText(readFileIfAny(folder, 'THIRD-PARTY-LICENSES.txt')).map(
      (bundled) => `THIRD-PARTY-LICENSES.txt has no text for ${bundled}`,
    ),
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

const readFileIfAny = (folder: string, name: string): string =>
  existsSync(join(folder, name)) ? readFileSync(join(folder, name), 'utf8') : '';

/** The package has no source for types of another package and for the file that only re-exports. */
const hasOwnSource = (file: string): boolean => !file.startsWith('vendor/') && file !== 'browser.d.ts';

/** Whether an editor that goes to a definition in these declarations ends in a source that the package has. */
function leadsToSources(folder: string, declarations: string): boolean {
  const map = join(folder, `${declarations}.map`);
  if (!existsSync(map)) return false;
  const { sources } = JSON.parse(readFileSync(map, 'utf8')) as { readonly sources: readonly string[] };
  return sources.length > 0 && sources.every((source) => existsSync(join(dirname(map), source)));
}

/** Whether a README says how to install the package, by its name or its tarball. */
const installs = (readme: string, name: string): boolean =>
  readme.split('\n').some((line) => line.startsWith('npm install ') && line.includes(name));

const contributorsTitles = /^## (Rooms|The parts|Its tests|Tests|Add an? .*)$/gm;

const contributorsSections = (readme: string): readonly string[] =>
  Array.from(readme.matchAll(contributorsTitles), ([, title = '']) => title);

/** The packages of a file of licenses whose part has the license's name alone. */
const withoutLicenseText = (licenses: string): readonly string[] =>
  licenses
    .split(/^-{80}$/m)
    .map((part) => part.replace(/^This package contains code of:/, '').trim())
    .filter((part) => /\n\nLicense: \S+$/.test(part))
    .map((part) => part.split('\n', 1)[0] ?? '');

/** The files of a package, without those of the packages that it bundles. */
function filesOf(folder: string): readonly string[] {
  const { bundleDependencies = [] } = readManifest(folder);
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (name) =>
      statSync(join(folder, name)).isFile() &&
      !bundleDependencies.some((bundled) => name.startsWith(`node_modules/${bundled}/`)),
  );
}
