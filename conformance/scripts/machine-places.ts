import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Mutant } from '@stryker-mutator/api/core';
import ts from 'typescript';

/** Code of the embedded services that runs, ends or disturbs their process, and that no real service has. */
interface MachinePlace {
  /** Below `src/services`. */
  readonly file: string;
  /** The functions and methods with this name; without one the whole file. */
  readonly name?: string;
  readonly reason: string;
}

const FAULTS = 'a fault on command, for tests';
const EMBEDDING = 'the program that embeds the server calls it';
const END = 'the end of the process';
const RECOVERY = 'changes from before a simulated crash, which a real service loses';

const PROVIDER = 'a simulated provider, which is another service';

const machinePlaces: readonly MachinePlace[] = [
  { file: 'auth/test-provider/provider-routes.ts', reason: PROVIDER },
  { file: 'auth/test-provider/sign-in-page.ts', reason: PROVIDER },
  { file: 'auth/test-provider/test-provider.ts', reason: PROVIDER },
  { file: 'realtime/faults.ts', reason: FAULTS },
  { file: 'realtime/message-replication.ts', name: 'setRunning', reason: FAULTS },
  { file: 'realtime/changes/replication-slot.ts', name: 'setFault', reason: FAULTS },
  { file: 'realtime/changes/replication-slot.ts', name: 'retry', reason: FAULTS },
  { file: 'realtime/changes/delivery.ts', name: 'setPaused', reason: FAULTS },
  { file: 'realtime/changes/delivery.ts', name: 'setSlotFault', reason: FAULTS },
  { file: 'realtime/socket/connection.ts', name: 'swallow', reason: FAULTS },
  { file: 'realtime/socket/socket-server.ts', name: 'refuseWith', reason: FAULTS },
  { file: 'realtime/channel/channel.ts', name: 'checkToken', reason: FAULTS },
  { file: 'realtime/channel/channel.ts', name: 'expire', reason: FAULTS },
  { file: 'realtime/channel/access.ts', name: 'expire', reason: FAULTS },
  { file: 'realtime/realtime-service.ts', name: 'statistics', reason: EMBEDDING },
  { file: 'realtime/realtime-service.ts', name: 'accept', reason: EMBEDDING },
  { file: 'realtime/changes/delivery.ts', name: 'statistics', reason: EMBEDDING },
  { file: 'realtime/changes/delivery.ts', name: 'settled', reason: EMBEDDING },
  { file: 'realtime/realtime-service.ts', name: 'close', reason: END },
  { file: 'realtime/socket/socket-server.ts', name: 'close', reason: END },
  { file: 'realtime/changes/delivery.ts', name: 'stop', reason: END },
  { file: 'realtime/changes/delivery.ts', name: 'close', reason: END },
  { file: 'realtime/changes/outbox.ts', name: 'close', reason: END },
  { file: 'realtime/changes/delivery.ts', name: '#replay', reason: RECOVERY },
  { file: 'realtime/changes/delivery.ts', name: '#endBacklog', reason: RECOVERY },
  { file: 'realtime/changes/outbox.ts', name: 'last', reason: RECOVERY },
];

/**
 * Finds the faults that lie in these places.
 *
 * @param services the folder `local-supabase/src/services`.
 */
export function createMachineFilter(
  services: string,
): (file: string, start: Mutant['location']['start']) => boolean {
  const ranges = machinePlaces.flatMap(({ file, name }) => {
    const source = ts.createSourceFile(
      file,
      readFileSync(join(services, file), 'utf8'),
      ts.ScriptTarget.Latest,
      true,
    );
    const nodes = name === undefined ? [source] : functionsOf(source, name);
    return nodes.map((node) => ({ file, source, begin: node.getStart(), end: node.end }));
  });
  return (file, { line, column }) =>
    ranges.some((range) => {
      if (range.file !== file) return false;
      const position = range.source.getPositionOfLineAndCharacter(line, column);
      return position >= range.begin && position < range.end;
    });
}

/** @throws if the file declares no such function. */
function functionsOf(source: ts.SourceFile, name: string): readonly ts.Node[] {
  const found: ts.Node[] = [];
  const visit = (node: ts.Node): void => {
    if (nameOf(node) === name) found.push(node);
    node.forEachChild(visit);
  };
  source.forEachChild(visit);
  if (found.length === 0) throw new Error(`${source.fileName} declares no function ${name}`);
  return found;
}

function nameOf(node: ts.Node): string | undefined {
  if (ts.isFunctionDeclaration(node) || ts.isMethodDeclaration(node) || ts.isGetAccessorDeclaration(node))
    return node.name?.getText();
  if (!ts.isPropertyAssignment(node) && !ts.isVariableDeclaration(node)) return undefined;
  return node.initializer && ts.isArrowFunction(node.initializer) ? node.name.getText() : undefined;
}
