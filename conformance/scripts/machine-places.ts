import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Mutant } from '@stryker-mutator/api/core';
import ts from 'typescript';

/** Code of the embedded services that runs, ends or disturbs their process, and that no real service has. */
interface MachinePlace {
  /** Below `src/services`. */
  readonly file: string;
  /** The function, method, class or constant with this name; without one the whole file. */
  readonly name?: string;
  readonly reason: string;
}

const FAULTS = 'faults on command, for tests';

const machinePlaces: readonly MachinePlace[] = [
  { file: 'realtime/faults.ts', reason: FAULTS },
  { file: 'realtime/changes/replication-slot.ts', name: 'setFault', reason: FAULTS },
  { file: 'realtime/changes/replication-slot.ts', name: 'retry', reason: FAULTS },
];

/**
 * Finds the faults that lie in these places.
 *
 * @param services the folder `local-supabase/src/services`.
 */
export function createMachineFilter(
  services: string,
): (file: string, start: Mutant['location']['start']) => boolean {
  const ranges = machinePlaces.map(({ file, name }) => {
    const source = ts.createSourceFile(
      file,
      readFileSync(join(services, file), 'utf8'),
      ts.ScriptTarget.Latest,
      true,
    );
    const node = name === undefined ? source : declarationOf(source, name);
    return { file, source, begin: node.getStart(), end: node.end };
  });
  return (file, { line, column }) =>
    ranges.some((range) => {
      if (range.file !== file) return false;
      const position = range.source.getPositionOfLineAndCharacter(line, column);
      return position >= range.begin && position < range.end;
    });
}

/** @throws if the file has no declaration of this name, or several. */
function declarationOf(source: ts.SourceFile, name: string): ts.Node {
  const found: ts.Node[] = [];
  const visit = (node: ts.Node): void => {
    if (nameOf(node) === name) found.push(node);
    node.forEachChild(visit);
  };
  source.forEachChild(visit);
  const [declaration] = found;
  if (!declaration || found.length > 1)
    throw new Error(`${source.fileName} has ${found.length} declarations of ${name}`);
  return declaration;
}

function nameOf(node: ts.Node): string | null {
  const hasBody =
    ts.isFunctionDeclaration(node) ||
    ts.isClassDeclaration(node) ||
    ts.isMethodDeclaration(node) ||
    ts.isGetAccessorDeclaration(node) ||
    ts.isPropertyAssignment(node) ||
    ts.isVariableDeclaration(node);
  return hasBody && node.name ? node.name.getText() : null;
}
