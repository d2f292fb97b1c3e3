import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const packages = fileURLToPath(new URL('../../node_modules/@supabase/', import.meta.url));

/** The vendor's public classes and interfaces, by package: what a program calls. */
export const vendorTypes: Readonly<Record<string, readonly string[]>> = {
  'supabase-js': ['SupabaseClient'],
  'auth-js': [
    'GoTrueClient',
    'GoTrueMFAApi',
    'AuthMFARecoveryCodesApi',
    'WebAuthnApi',
    'AuthPasskeyApi',
    'GoTrueAdminPasskeyApi',
    'GoTrueAdminApi',
    'GoTrueAdminMFAApi',
    'GoTrueAdminOAuthApi',
    'GoTrueAdminCustomProvidersApi',
    'AuthOAuthServerApi',
  ],
  'postgrest-js': [
    'PostgrestClient',
    'PostgrestQueryBuilder',
    'PostgrestFilterBuilder',
    'PostgrestTransformBuilder',
    'PostgrestBuilder',
  ],
  'realtime-js': ['RealtimeClient', 'RealtimeChannel', 'RealtimePostgresFilterBuilder'],
  'storage-js': [
    'StorageClient',
    'StorageFileApi',
    'StorageBucketApi',
    'BlobDownloadBuilder',
    'StorageVectorsClient',
    'VectorBucketScope',
    'VectorIndexScope',
    'StorageAnalyticsClient',
  ],
  'functions-js': ['FunctionsClient'],
};

/** Public by declaration but not meant for callers: internals of the vendor, and methods of a promise. */
const internals: ReadonlySet<string> = new Set(['then', 'catch', 'finally', 'log']);

/** The public methods of the installed packages, as `auth-js GoTrueClient.signUp`, sorted. */
export function readVendorMethods(): readonly string[] {
  const names = Object.entries(vendorTypes).flatMap(([name, types]) => {
    const folder = join(packages, name, 'dist');
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
    return files
      .filter((path) => /\.d\.(ts|cts)$/.test(path) && !path.startsWith('module'))
      .flatMap((path) => methodsOf(join(folder, path), types))
      .map((method) => `${name} ${method}`);
  });
  return [...new Set(names)].toSorted();
}

/** The versions of the installed packages, by name. */
export function readVendorVersions(): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.keys(vendorTypes).map((name) => {
      const text = readFileSync(join(packages, name, 'package.json'), 'utf8');
      return [name, (JSON.parse(text) as { readonly version: string }).version];
    }),
  );
}

function methodsOf(file: string, types: readonly string[]): readonly string[] {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true);
  return source.statements
    .filter((node) => ts.isClassDeclaration(node) || ts.isInterfaceDeclaration(node))
    .flatMap((node) => {
      const type = node.name?.text.replace(/\$\d+$/, '') ?? '';
      if (!types.includes(type)) return [];
      return Array.from<ts.ClassElement | ts.TypeElement>(node.members)
        .filter((member) => !isHidden(member) && isCallable(member))
        .map((member) => member.name?.getText() ?? '')
        .filter((name) => /^[a-z]\w*$/i.test(name) && !internals.has(name))
        .map((name) => `${type}.${name}`);
    });
}

function isHidden(member: ts.ClassElement | ts.TypeElement): boolean {
  const modifiers = ts.canHaveModifiers(member) ? (ts.getModifiers(member) ?? []) : [];
  return modifiers.some(
    ({ kind }) => kind === ts.SyntaxKind.PrivateKeyword || kind === ts.SyntaxKind.ProtectedKeyword,
  );
}

function isCallable(member: ts.ClassElement | ts.TypeElement): boolean {
  if (ts.isMethodDeclaration(member) || ts.isMethodSignature(member)) return true;
  if (!ts.isPropertyDeclaration(member) && !ts.isPropertySignature(member)) return false;
  const { type } = member;
  return type !== undefined && (ts.isFunctionTypeNode(type) || ts.isTypeQueryNode(type));
}

/** The names that `@supabase/supabase-js` and `./compat` export, types too, each list sorted. */
export function readExportedNames(): readonly [theirs: readonly string[], ours: readonly string[]] {
  const files = [
    join(packages, 'supabase-js/dist/index.d.mts'),
    fileURLToPath(new URL('../../src/compat/index.ts', import.meta.url)),
  ];
  const program = ts.createProgram(files, {
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    allowImportingTsExtensions: true,
    noEmit: true,
  });
  const checker = program.getTypeChecker();
  const [theirs = [], ours = []] = files.map((file) => {
    const source = program.getSourceFile(file);
    const symbol = source && checker.getSymbolAtLocation(source);
    return (symbol ? checker.getExportsOfModule(symbol) : []).map(({ name }) => name).toSorted();
  });
  return [theirs, ours];
}
