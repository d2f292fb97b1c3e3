import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const page = readFileSync(join(root, 'docs/clients/error-codes.md'), 'utf8');

/** The section of the page for each union. */
const unions = [
  ['src/auth-client/errors.ts', 'ClientErrorCode', 'AuthError, made by the client'],
  ['src/auth-client/errors.ts', 'serverErrorCodes', 'AuthError, sent by the auth service'],
  ['src/rest-client/errors.ts', 'RestErrorCode', 'RestError'],
  ['src/realtime-client/errors.ts', 'RealtimeErrorCode', 'RealtimeError'],
  ['src/storage-client/errors.ts', 'StorageErrorCode', 'StorageError'],
  ['src/functions-client/errors.ts', 'FunctionsErrorCode', 'FunctionsError'],
] as const;

function codesOf(file: string, union: string): readonly string[] {
  const source = ts.createSourceFile(
    file,
    readFileSync(join(root, file), 'utf8'),
    ts.ScriptTarget.Latest,
    true,
  );
  const codes: string[] = [];
  source.forEachChild((node) => {
    const visit = (type: ts.Node): void => {
      if (ts.isStringLiteral(type)) codes.push(type.text);
      type.forEachChild(visit);
    };
    if (ts.isTypeAliasDeclaration(node) && node.name.text === union) visit(node.type);
    if (ts.isVariableStatement(node))
      for (const { name, initializer } of node.declarationList.declarations)
        if (initializer && ts.isIdentifier(name) && name.text === union) visit(initializer);
  });
  return codes;
}

function rowsOf(heading: string) {
  const section = page.split(/^## /m).find((each) => each.startsWith(`${heading}\n`)) ?? '';
  return Array.from(section.matchAll(/^\| `([\w-]+)` \| (.*) \| (.*) \|$/gm), ([, code, cause, remedy]) => ({
    code,
    isExplained: /\w.*\.$/.test(cause ?? '') && /\w.*\.$/.test(remedy ?? ''),
  }));
}

describe('the page of error codes', () => {
  it.each(unions)('lists each code of %s %s, with a cause and a remedy', (file, union, heading) => {
    const codes = codesOf(file, union);
    expect(codes.length).toBeGreaterThan(5);
    expect(new Set(rowsOf(heading).map(({ code }) => code))).toEqual(new Set(codes));
    expect(rowsOf(heading)).toHaveLength(codes.length);
    expect(rowsOf(heading).filter(({ isExplained }) => !isExplained)).toEqual([]);
  });
});
