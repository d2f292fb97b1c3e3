import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly exports: Readonly<Record<string, unknown>>;
  /** Other packages that this one brings along, in `node_modules`. */
  readonly bundleDependencies?: readonly string[];
}

export const readManifest = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;

/**
 * Adds what every package has: its changes, links that lead somewhere within the package, and in a workflow the repository, by which
 * the registry verifies where the package was built.
 *
 * @param source the part's folder in the repository.
 */
export async function finishPackage(folder: string, source: string): Promise<void> {
  await copyFile(join(source, 'CHANGELOG.md'), join(folder, 'CHANGELOG.md'));
  for (const name of filesOf(folder).filter((each) => each.endsWith('.md'))) {
    const file = join(folder, name);
    await writeFile(file, withoutDeadLinks(await readFile(file, 'utf8'), join(folder, dirname(name))));
  }
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository } = process.env;
  if (server === undefined || repository === undefined) return;
  const url = `git+${server}/${repository}.git`;
  const manifest = { ...readManifest(folder), repository: { type: 'git', url, directory: source } };
  await writeFile(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
}

/** A link to a file of the repository that the package lacks becomes its text. */
export function withoutDeadLinks(markdown: string, folder: string): string {
  return markdown.replaceAll(
    /\[([^\]]+)\]\(([^)#\s:]+)(?:#[^)\s]*)?\)/g,
    (link, text: string, path: string) => (existsSync(join(folder, path)) ? link : text),
  );
}

const required = ['README.md', 'LICENSE', 'CHANGELOG.md', 'package.json'];

/** Files that a package contains although its users do not need them, or that it lacks. */
export function contentProblems(folder: string): readonly string[] {
  const { name, version, exports } = readManifest(folder);
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
