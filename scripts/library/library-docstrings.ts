/** `npm run check:docs`: lists every exported name and member of a public entry that has no docstring. */
import { readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { libraryEntries } from './library-entries.ts';

/** A public name without a docstring. */
export interface Gap {
  /** File and line, relative to the root. */
  readonly where: string;
  /** `Name` or `Name.member`. */
  readonly name: string;
}

/** The result of a search for public names without a docstring. */
export interface DocumentationReport {
  readonly exports: number;
  readonly members: number;
  readonly gaps: readonly Gap[];
}

type Declaration =
  | ts.FunctionDeclaration
  | ts.ClassDeclaration
  | ts.InterfaceDeclaration
  | ts.TypeAliasDeclaration
  | ts.VariableStatement;

/**
 * Follows the exports of modules through their re-exports, by syntax alone: a type checker would take ten times as long.
 *
 * @param entries Absolute paths of the public modules.
 */
export function reportDocumentation(root: string, entries: readonly string[]): DocumentationReport {
  const modules = new Map<string, Module>();
  const moduleAt = (path: string): Module => {
    const module = modules.get(path) ?? readModule(path);
    modules.set(path, module);
    return module;
  };
  const declarationsOf = (path: string, name: string): readonly Declaration[] => {
    const { declarations, links } = moduleAt(path);
    const own = declarations.get(name);
    if (own) return own;
    const link = links.get(name);
    return link ? declarationsOf(link.path, link.name) : [];
  };

  const exported = new Map<readonly Declaration[], string>();
  const visit = (path: string) => {
    const { exports, wildcards } = moduleAt(path);
    for (const name of exports) {
      const declarations = declarationsOf(path, name);
      if (declarations.length > 0) exported.set(declarations, name);
    }
    wildcards.forEach(visit);
  };
  entries.forEach(visit);

  const gaps: Gap[] = [];
  let members = 0;
  const check = (nodes: readonly ts.Node[], name: string, isInherited = false) => {
    const [first] = nodes;
    if (!first || isInherited || nodes.some(isDocumented)) return;
    const source = first.getSourceFile();
    const { line } = source.getLineAndCharacterOfPosition(first.getStart());
    gaps.push({ where: `${relative(root, source.fileName)}:${line + 1}`, name });
  };
  for (const [declarations, name] of exported) {
    check(declarations, name);
    const inherited = inheritedNames(declarations, declarationsOf);
    const byName = new Map<string, Member[]>();
    for (const member of declarations.flatMap(membersOf))
      byName.set(nameOf(member), [...(byName.get(nameOf(member)) ?? []), member]);
    members += byName.size;
    for (const [member, nodes] of byName)
      check(nodes, `${name}.${member}`, inherited.has(member) || isPlain(member));
  }
  gaps.sort((a, b) => a.where.localeCompare(b.where, 'en', { numeric: true }));
  return { exports: exported.size, members, gaps };
}

/** Whether the name of a member says all: an id, a discriminator, a time as the services write it (ISO 8601). */
const isPlain = (member: string) => ['id', 'type'].includes(member) || member.endsWith('_at');

interface Module {
  readonly declarations: ReadonlyMap<string, readonly Declaration[]>;
  /** Names from another module, by import or re-export. */
  readonly links: ReadonlyMap<string, { readonly path: string; readonly name: string }>;
  readonly exports: ReadonlySet<string>;
  readonly wildcards: readonly string[];
}

function readModule(path: string): Module {
  const source = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true);
  const declarations = new Map<string, Declaration[]>();
  const links = new Map<string, { path: string; name: string }>();
  const exports = new Set<string>();
  const wildcards: string[] = [];
  const pathOf = (specifier: ts.Expression | undefined): string | null =>
    specifier && ts.isStringLiteral(specifier) && specifier.text.startsWith('.')
      ? join(dirname(path), specifier.text)
      : null;

  for (const statement of source.statements) {
    if (ts.isImportDeclaration(statement)) {
      const from = pathOf(statement.moduleSpecifier);
      const bindings = statement.importClause?.namedBindings;
      if (from && bindings && ts.isNamedImports(bindings))
        for (const { name, propertyName } of bindings.elements)
          links.set(name.text, { path: from, name: (propertyName ?? name).text });
    } else if (ts.isExportDeclaration(statement)) {
      const from = pathOf(statement.moduleSpecifier);
      if (!statement.exportClause) {
        if (from) wildcards.push(from);
      } else if (ts.isNamedExports(statement.exportClause))
        for (const { name, propertyName } of statement.exportClause.elements) {
          exports.add(name.text);
          const original = (propertyName ?? name).text;
          if (from) links.set(name.text, { path: from, name: original });
          else if (original !== name.text) links.set(name.text, { path, name: original });
        }
    } else if (isDeclaration(statement))
      for (const name of declaredNames(statement)) {
        declarations.set(name, [...(declarations.get(name) ?? []), statement]);
        const modifiers = ts.getModifiers(statement) ?? [];
        if (modifiers.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)) exports.add(name);
      }
  }
  return { declarations, links, exports, wildcards };
}

function isDeclaration(node: ts.Node): node is Declaration {
  return (
    ts.isFunctionDeclaration(node) ||
    ts.isClassDeclaration(node) ||
    ts.isInterfaceDeclaration(node) ||
    ts.isTypeAliasDeclaration(node) ||
    ts.isVariableStatement(node)
  );
}

function declaredNames(node: Declaration): readonly string[] {
  if (ts.isVariableStatement(node))
    return node.declarationList.declarations.map(({ name }) => name.getText());
  return node.name ? [node.name.text] : [];
}

/** Names that a class gets from the interfaces that it implements or extends: those have the docstrings. */
function inheritedNames(
  declarations: readonly Declaration[],
  declarationsOf: (path: string, name: string) => readonly Declaration[],
): ReadonlySet<string> {
  const parents = declarations.flatMap((node) =>
    ts.isClassDeclaration(node) || ts.isInterfaceDeclaration(node)
      ? (node.heritageClauses ?? []).flatMap(({ types }) =>
          types.map(({ expression }) => ({
            name: expression.getText(),
            path: node.getSourceFile().fileName,
          })),
        )
      : [],
  );
  const names = new Set<string>();
  for (const { name, path } of parents) {
    if (name === 'Error') for (const member of ['name', 'message', 'stack', 'cause']) names.add(member);
    const parent = declarationsOf(path, name);
    for (const member of parent.flatMap(membersOf)) names.add(nameOf(member));
    for (const member of inheritedNames(parent, declarationsOf)) names.add(member);
  }
  return names;
}

type Member = ts.TypeElement | ts.ClassElement;

function membersOf(node: Declaration): readonly Member[] {
  if (ts.isInterfaceDeclaration(node)) return node.members.filter(hasName);
  if (ts.isClassDeclaration(node))
    return node.members.filter((member) => hasName(member) && isPublic(member));
  if (ts.isTypeAliasDeclaration(node)) return membersOfType(node.type);
  return [];
}

function membersOfType(type: ts.TypeNode): readonly Member[] {
  if (ts.isTypeLiteralNode(type)) return type.members.filter(hasName);
  if (ts.isUnionTypeNode(type) || ts.isIntersectionTypeNode(type)) return type.types.flatMap(membersOfType);
  if (ts.isParenthesizedTypeNode(type)) return membersOfType(type.type);
  return [];
}

const hasName = (member: Member): boolean =>
  member.name !== undefined && (ts.isIdentifier(member.name) || ts.isStringLiteral(member.name));
const nameOf = (member: Member): string => member.name?.getText() ?? '';
const isPublic = (member: ts.ClassElement): boolean =>
  !(ts.canHaveModifiers(member) ? (ts.getModifiers(member) ?? []) : []).some(
    ({ kind }) => kind === ts.SyntaxKind.PrivateKeyword || kind === ts.SyntaxKind.ProtectedKeyword,
  );
const isDocumented = (node: ts.Node): boolean =>
  ts.getJSDocCommentsAndTags(node).some((doc) => ts.isJSDoc(doc)) ||
  (ts.isTypeLiteralNode(node.parent) && isDocumentedVariant(node.parent));

/** Whether a docstring precedes a variant of a union: it describes the members of a variant on one line. */
function isDocumentedVariant(variant: ts.TypeLiteralNode): boolean {
  const union = variant.parent;
  if (!ts.isUnionTypeNode(union)) return false;
  const index = union.types.indexOf(variant);
  const start = union.types[index - 1]?.end ?? union.getFullStart();
  return variant.getSourceFile().text.slice(start, variant.getStart()).includes('/**');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = fileURLToPath(new URL('../..', import.meta.url));
  const entries = Object.values(libraryEntries).map((file) => join(root, 'src', `${file}.ts`));
  const { exports, members, gaps } = reportDocumentation(root, entries);
  for (const { where, name } of gaps) console.error(`${where} ${name} has no docstring`);
  console.log(`${exports} exported names and ${members} members; ${gaps.length} without a docstring`);
  process.exitCode = gaps.length === 0 ? 0 : 1;
}
