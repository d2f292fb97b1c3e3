import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** The vendor's public classes and interfaces, by package. */
const vendorTypes: Readonly<Record<string, readonly string[]>> = {
  'supabase-js': ['SupabaseClient'],
  'auth-js': [
    'GoTrueClient',
    'GoTrueMFAApi',
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
  'realtime-js': ['RealtimeClient', 'RealtimeChannel'],
  'storage-js': ['StorageClient', 'StorageFileApi', 'StorageBucketApi'],
  'functions-js': ['FunctionsClient'],
};

/** Public by their declaration, and not for callers: the vendor's own parts, or what a promise has. */
const internals = new Set([
  'then',
  'catch',
  'finally',
  'log',
  'isJoined',
  'isJoining',
  'isLeaving',
  'isClosed',
]);

const isHidden = (member: ts.ClassElement | ts.TypeElement): boolean =>
  (ts.canHaveModifiers(member) ? (ts.getModifiers(member) ?? []) : []).some(
    ({ kind }) => kind === ts.SyntaxKind.PrivateKeyword || kind === ts.SyntaxKind.ProtectedKeyword,
  );

function isCallable(member: ts.ClassElement | ts.TypeElement): boolean {
  if (ts.isMethodDeclaration(member) || ts.isMethodSignature(member)) return true;
  return (
    (ts.isPropertyDeclaration(member) || ts.isPropertySignature(member)) &&
    member.type !== undefined &&
    ts.isFunctionTypeNode(member.type)
  );
}

function publicMethods(file: string, typeNames: readonly string[]): readonly string[] {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true);
  return source.statements
    .filter((node) => ts.isClassDeclaration(node) || ts.isInterfaceDeclaration(node))
    .filter(
      ({ name }) => name !== undefined && typeNames.some((each) => name.text.replace(/\$\d+$/, '') === each),
    )
    .flatMap(({ members }) => Array.from<ts.ClassElement | ts.TypeElement>(members))
    .filter((member) => !isHidden(member) && isCallable(member))
    .map((member) => member.name?.getText() ?? '')
    .filter((name) => /^[a-z]\w*$/i.test(name) && !internals.has(name));
}

const methods = Object.entries(vendorTypes).flatMap(([name, typeNames]) => {
  const folder = join(root, 'node_modules/@supabase', name, 'dist');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) =>
    /\.d\.(ts|cts)$/.test(path),
  );
  const names = files.flatMap((path) => publicMethods(join(folder, path), typeNames));
  return [...new Set(names)].sort().map((method) => [name, method] as const);
});

const page = readFileSync(join(root, 'docs/clients/migrating.md'), 'utf8');
/** The names within the code of the page: spans and fenced blocks. */
const named = new Set(
  [...page.matchAll(/```[^]*?```|`[^`\n]+`/g)].flatMap(([code]) => code.match(/\w+/g) ?? []),
);

describe('docs/clients/migrating.md', () => {
  it("covers the vendor's methods", () => {
    expect(methods.length).toBeGreaterThan(150);
    expect(methods.map(([, method]) => method)).toContain('signInWithPassword');
    expect(methods.map(([, method]) => method)).toContain('textSearch');
    expect(methods.map(([, method]) => method)).toContain('createSignedUploadUrl');
  });

  it.each(Object.keys(vendorTypes))('names every public method of %s', (name) => {
    const missing = methods.filter(([from, method]) => from === name && !named.has(method));
    expect(missing.map(([, method]) => method)).toEqual([]);
  });
});
