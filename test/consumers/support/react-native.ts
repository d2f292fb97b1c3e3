import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import vm from 'node:vm';
import { createNativeModules } from './react-native-modules.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../..', import.meta.url));
const cache = join(root, 'node_modules/.cache/react-native');
const version = '0.86.3';
const packages = {
  'react-native': version,
  '@react-native/babel-preset': version,
  '@react-native/metro-config': version,
  react: '^19.2.0',
};

/** Installs React Native and its bundler into a cache folder, unless they are there. */
export async function installReactNative(): Promise<void> {
  if (existsSync(join(cache, 'node_modules/@react-native/metro-config'))) return;
  await mkdir(cache, { recursive: true });
  await writeFile(join(cache, 'package.json'), JSON.stringify({ private: true, dependencies: packages }));
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock'];
  await run('npm', ['install', ...flags], { cwd: cache });
}

/**
 * What the entry of the bundle does before the application: the parts of React Native that provide a program's globals.
 */
const entry = `
  import 'react-native/Libraries/Core/setUpGlobals';
  import 'react-native/Libraries/Core/setUpTimers';
  import 'react-native/Libraries/Core/setUpXHR';
  import 'react-native/Libraries/Core/setUpNavigator';
  import emitter from 'react-native/Libraries/EventEmitter/RCTDeviceEventEmitter';
  import { runApp } from './app';
  globalThis.emit = (name, body) => emitter.emit(name, body);
  globalThis.run = (device) => runApp({
    ...device,
    readText: (blob) => new Promise((resolve, reject) => {
      const reader = new FileReader();
      reader.onload = () => resolve(reader.result);
      reader.onerror = () => reject(reader.error);
      reader.readAsText(blob);
    }),
  });`;
const bundler = `
  const { getDefaultConfig } = require('@react-native/metro-config');
  const [folder, out] = process.argv.slice(2);
  const options = { entry: 'index.js', platform: 'ios', dev: false, minify: false, out };
  const config = { ...getDefaultConfig(folder), cacheStores: [], watchFolders: [${JSON.stringify(cache)}] };
  require('metro').runBuild(config, options).then(() => process.exit(0), (problem) => {
    console.error(problem);
    process.exit(1);
  });`;

/** Bundles an application with the packed library by Metro, as \`react-native bundle\` does. @returns the text of the bundle */
export async function bundleForReactNative(
  app: string,
  library: { readonly folder: string },
): Promise<string> {
  const folder = await mkdtemp(join(cache, 'app-'));
  try {
    await cp(library.folder, join(folder, 'node_modules/supabase-protocol-clients'), {
      recursive: true,
      filter: (path) => !path.startsWith(join(library.folder, 'node_modules')),
    });
    for (const name of ['jose', '@noble/hashes'])
      await cp(join(root, 'node_modules', name), join(folder, 'node_modules', name), { recursive: true });
    const files = {
      'package.json': JSON.stringify({ name: 'app', private: true }),
      'babel.config.js': "module.exports = { presets: ['module:@react-native/babel-preset'] };",
      'index.js': entry,
      'app.ts': await readFile(app, 'utf8'),
      'bundle.cjs': bundler,
    };
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
    const out = join(folder, 'out.js');
    await run(process.execPath, ['bundle.cjs', folder, out], { cwd: folder });
    return await readFile(out, 'utf8');
  } finally {
    await rm(folder, { recursive: true });
  }
}

/**
 * Runs a bundle in a realm that has the language, what Hermes adds to it, and React Native's own globals over native modules: not
 * Node's fetch, URL or streams.
 */
export function loadBundle(bundle: string): { run(device: object): Promise<void> } {
  const realm = vm.createContext() as vm.Context & {
    emit(name: string, body: unknown): void;
    run(device: object): Promise<void>;
  };
  const modules = createNativeModules((name, body) => realm.emit(name, body));
  Object.assign(realm, {
    global: realm,
    window: realm,
    console,
    TextEncoder,
    atob,
    btoa,
    setTimeout: (callback: () => void, delayMs: number) => Number(setTimeout(callback, delayMs)),
    clearTimeout: (handle: number) => clearTimeout(handle),
    setInterval: (callback: () => void, delayMs: number) => Number(setInterval(callback, delayMs)),
    clearInterval: (handle: number) => clearInterval(handle),
    performance: { now: () => performance.now() },
    // The package react-native-get-random-values, which the page names.
    crypto: { getRandomValues: (bytes: Uint8Array<ArrayBuffer>) => crypto.getRandomValues(bytes) },
    RN$Bridgeless: true,
    nativeModuleProxy: {},
    __turboModuleProxy: (name: string) => modules[name] ?? null,
  });
  vm.runInContext(bundle, realm, { filename: 'react-native.js' });
  return { run: (device) => realm.run(device) };
}
