import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { checkSteps } from '../../scripts/check.ts';
import { nightlySteps } from '../../scripts/nightly.ts';
import { dailySteps } from '../../scripts/test.ts';

const read = (file: string) => readFileSync(file, 'utf8');
const filesOf = (...patterns: readonly string[]) =>
  execFileSync('git', ['ls-files', ...patterns], { encoding: 'utf8' })
    .trim()
    .split('\n');

/** The test that starts each command that runs until it is stopped, or that prompts the user. */
const startedByTests: Readonly<Record<string, string>> = {
  dev: 'test/scripts/commands.nightly.test.ts',
  'docs:preview': 'test/site/site.nightly.test.ts',
  'e2e:project': 'test/scripts/commands.nightly.test.ts',
  examples: 'test/scripts/commands.nightly.test.ts',
  freeze: 'test/scripts/commands.nightly.test.ts',
  notify: 'test/scripts/commands.nightly.test.ts',
  preview: 'test/scripts/commands.nightly.test.ts',
  reset: 'test/scripts/commands.nightly.test.ts',
  start: 'test/scripts/commands.nightly.test.ts',
  types: 'test/scripts/commands.nightly.test.ts',
};

/**
 * The scripts in commands such as `npm run -s size` and `npm run -w conformance build`, which is `conformance build`; `npm test` and
 * `npm start` are scripts, too.
 */
function scriptsIn(text: string): readonly string[] {
  const run = [...text.matchAll(/(?:npm |`)run (?:-s )?(?:-w ([\w-]+) )?([a-z][a-z\d:]*)/g)].map(
    ([, part, name = '']) => (part === undefined ? name : `${part} ${name}`),
  );
  return [...run, ...[...text.matchAll(/npm (test|start)\b/g)].map(([, name = '']) => name)];
}

const readScripts = (file: string) =>
  (JSON.parse(read(file)) as { readonly scripts: Readonly<Record<string, string>> }).scripts;
const scripts = readScripts('package.json');
/** Adds the script of a part that a script runs: `npm run replay` is `local-supabase replay`. */
const withParts = (names: readonly string[]) =>
  names.flatMap((name) => [name, ...scriptsIn(scripts[name] ?? '')]);
/** The parts' scripts that run tests with an environment variable; the nightly tests run without it. */
const testsOfParts = ['conformance', 'local-supabase'].flatMap((part) =>
  Object.entries(readScripts(`${part}/package.json`))
    .filter(([, command]) => command.includes('vitest run'))
    .map(([name]) => `${part} ${name}`),
);

const pages = filesOf('*.md', '.github/workflows/*.yml', '.ci/run').filter(
  (file) => !/CHANGELOG|docs\/decisions|\.changeset|pull_request_template/.test(file),
);

it('every command that a page or a workflow names runs by day, at night or in a workflow', () => {
  const named = new Set(pages.flatMap((file) => scriptsIn(read(file))));
  const commands = [
    ...dailySteps.map(({ command }) => command),
    ...checkSteps.map(([, command]) => command),
    ...nightlySteps.map(({ command }) => command),
    ...filesOf('.github/workflows/*.yml', '.ci/run').map(read),
  ];
  const run = new Set([
    ...withParts(commands.flatMap(scriptsIn)),
    ...Object.keys(startedByTests),
    ...testsOfParts,
  ]);
  expect(named.size).toBeGreaterThan(25);
  expect([...named].filter((name) => !run.has(name))).toEqual([]);
});

it.each(Object.entries(startedByTests))('npm run %s is started by %s', (command, file) => {
  expect(existsSync(file)).toBe(true);
  expect(read(file)).toContain(`'${command}'`);
});
