import { createReader, readSections, readVector, SECTION, unsigned, writeSections } from './wasm-binary.ts';
import type { Reader } from './wasm-binary.ts';

/**
 * Makes PostgreSQL's statements in WebAssembly interruptible. PostgreSQL calls `ProcessInterrupts` wherever a statement
 * can be canceled, if `InterruptPending` is set; nothing sets the flag from outside, because the module has one thread
 * and no signals. The new body of that function keeps the flag set and calls JavaScript from time to time
 * (https://webassembly.github.io/spec/core/binary/modules.html).
 *
 * A new global counts calls down, so that few of them leave WebAssembly:
 *
 *     if (--countdown <= 0) countdown = hook(INTERRUPT_HOOK_ARGUMENT, …);
 *     processInterrupts(); // The original body.
 *     InterruptPending = 1;
 */

/** The imported function that serves as the hook. PostgreSQL in WebAssembly listens on no socket, so it has no other caller. */
export const HOOK_IMPORT = '__syscall_listen';
/** The first argument of calls from `ProcessInterrupts`. */
export const INTERRUPT_HOOK_ARGUMENT = -0x5bd1e995;

const I32 = 0x7f;
const EXTERNAL_FUNCTION = 0;
const TABLE = 1;
const MEMORY = 2;
const EXTERNAL_GLOBAL = 3;

/** PostgreSQL's initial memory, which an idle database uses. It grows on demand, up to PGlite's limit. */
export const INITIAL_MEMORY_BYTES = 40 * 2 ** 20;
const PAGE_BYTES = 65_536;

/**
 * Makes statements interruptible, and lowers the initial memory from PGlite's 128 MiB to `INITIAL_MEMORY_BYTES`: the
 * JavaScript engine counts the memory as used and would collect garbage more often.
 *
 * @param module PGlite's `pglite.wasm`.
 * @throws {Error} if the module is another build of PostgreSQL, without the expected function.
 */
export function makeInterruptible(module: Uint8Array): Uint8Array<ArrayBuffer> {
  const sections = readSections(module);
  const contentOf = (id: number) => {
    const found = sections.find((section) => section.id === id);
    if (!found) throw new Error(`The WebAssembly module has no section ${id}`);
    return found.content;
  };
  const imports = readImports(contentOf(SECTION.import));
  const target = exportedIndex(contentOf(SECTION.export), 'ProcessInterrupts') - imports.functions.length;
  const flag = exportedIndex(contentOf(SECTION.export), 'InterruptPending') - imports.globalNames.length;
  const types = entryOf(contentOf(SECTION.function), target, (reader) => void reader.unsigned());
  const globals = entryOf(contentOf(SECTION.global), flag, skipGlobal);
  const codes = entryOf(contentOf(SECTION.code), target, (reader) => void reader.bytes(reader.unsigned()));
  const hook = imports.functions.findIndex(({ name }) => name === HOOK_IMPORT);
  const body = newBody({
    countdown: imports.globalNames.length + globals.count,
    hook,
    hookParameters: parameterCount(contentOf(SECTION.type), imports.functions[hook]?.type),
    original: imports.functions.length + types.count,
    memoryBase: imports.globalNames.indexOf('__memory_base'),
    flagOffset: constantOf(globals.entry),
  });
  const counter = Uint8Array.of(I32, 1, 0x41, 0, 0x0b);
  const { before, after } = imports.memoryPages;
  const replaced = new Map<number, readonly Uint8Array[]>([
    [SECTION.import, [before, unsigned(INITIAL_MEMORY_BYTES / PAGE_BYTES), after]],
    [SECTION.function, [unsigned(types.count + 1), types.before, types.entry, types.after, types.entry]],
    [SECTION.global, [unsigned(globals.count + 1), globals.before, globals.entry, globals.after, counter]],
    [
      SECTION.code,
      [unsigned(codes.count + 1), codes.before, unsigned(body.length), body, codes.after, codes.entry],
    ],
  ]);
  return writeSections(sections, replaced);
}

interface Body {
  readonly countdown: number;
  readonly hook: number;
  readonly hookParameters: number;
  readonly original: number;
  readonly memoryBase: number;
  readonly flagOffset: number;
}

function newBody({ countdown, hook, hookParameters, original, memoryBase, flagOffset }: Body): Uint8Array {
  const [ifVoid, end, call, get, set, store] = [[0x04, 0x40], 0x0b, 0x10, 0x23, 0x24, [0x36, 2, 0]];
  const [isLessOrEqual, add, subtract] = [0x4c, 0x6a, 0x6b];
  const number = (value: number) => [0x41, ...signed(value)];
  const counter = unsigned(countdown);
  const zeros = Array.from({ length: hookParameters - 1 }, () => number(0)).flat();
  const noLocals = 0;
  return Uint8Array.from(
    [
      [noLocals, get, ...counter, ...number(1), subtract, set, ...counter],
      [get, ...counter, ...number(0), isLessOrEqual, ...ifVoid],
      [...number(INTERRUPT_HOOK_ARGUMENT), ...zeros, call, ...unsigned(hook), set, ...counter, end],
      [call, ...unsigned(original)],
      [get, ...unsigned(memoryBase), ...number(flagOffset), add, ...number(1), ...store, end],
    ].flat(),
  );
}

/** One entry of a WebAssembly vector, the bytes of the entries before and after it, and their number. */
interface Entry {
  readonly count: number;
  readonly before: Uint8Array;
  readonly entry: Uint8Array;
  readonly after: Uint8Array;
}

function entryOf(content: Uint8Array, index: number, skip: (reader: Reader) => void): Entry {
  const reader = createReader(content);
  const count = reader.unsigned();
  if (index < 0 || index >= count) throw new Error('The WebAssembly module does not define what it exports');
  const first = reader.offset();
  for (let passed = 0; passed < index; passed += 1) skip(reader);
  const start = reader.offset();
  skip(reader);
  const end = reader.offset();
  return {
    count,
    before: content.subarray(first, start),
    entry: content.subarray(start, end),
    after: content.subarray(end),
  };
}

interface Imports {
  readonly functions: readonly { readonly name: string; readonly type: number }[];
  readonly globalNames: readonly string[];
  /** The bytes before and after the minimum memory size. */
  readonly memoryPages: Pick<Entry, 'before' | 'after'>;
}

function readImports(content: Uint8Array): Imports {
  const functions: { name: string; type: number }[] = [];
  const globalNames: string[] = [];
  let memoryPages: Imports['memoryPages'] | undefined;
  readVector(content, (reader) => {
    reader.name();
    const name = reader.name();
    const kind = reader.byte();
    if (kind === EXTERNAL_FUNCTION) functions.push({ name, type: reader.unsigned() });
    else if (kind === EXTERNAL_GLOBAL) {
      globalNames.push(name);
      reader.bytes(2);
    } else {
      // A table has a type before its limits, a memory does not.
      if (kind === TABLE) reader.byte();
      const hasMaximum = (reader.byte() & 1) === 1;
      const start = reader.offset();
      reader.unsigned();
      if (kind === MEMORY)
        memoryPages = { before: content.subarray(0, start), after: content.subarray(reader.offset()) };
      if (hasMaximum) reader.unsigned();
    }
  });
  if (!memoryPages) throw new Error('The WebAssembly module imports no memory');
  return { functions, globalNames, memoryPages };
}

function exportedIndex(content: Uint8Array, name: string): number {
  const exports = readVector(content, (reader) => {
    const own = reader.name();
    reader.byte();
    return { name: own, index: reader.unsigned() };
  });
  const found = exports.find((one) => one.name === name);
  if (!found) throw new Error(`The WebAssembly module exports no ${name}`);
  return found.index;
}

/** A global has a type, a mutability flag, and a constant or another global as its initial value. */
function skipGlobal(reader: Reader): void {
  reader.bytes(2);
  const operation = reader.byte();
  if (operation === 0x43) reader.bytes(4);
  else if (operation === 0x44) reader.bytes(8);
  else reader.signed();
  reader.byte();
}

/** The initial value of a global. */
function constantOf(entry: Uint8Array): number {
  const reader = createReader(entry);
  reader.bytes(3);
  return reader.signed();
}

function parameterCount(content: Uint8Array, type: number | undefined): number {
  const counts = readVector(content, (reader) => {
    reader.byte();
    const parameters = reader.bytes(reader.unsigned()).length;
    reader.bytes(reader.unsigned());
    return parameters;
  });
  const found = type === undefined ? undefined : counts[type];
  if (found === undefined) throw new Error(`The WebAssembly module imports no ${HOOK_IMPORT}`);
  return found;
}

function signed(value: number): readonly number[] {
  const bytes: number[] = [];
  let rest = value;
  for (;;) {
    const low = rest & 0x7f;
    rest >>= 7;
    const isLast = (rest === 0 && (low & 0x40) === 0) || (rest === -1 && (low & 0x40) !== 0);
    bytes.push(isLast ? low : low | 0x80);
    if (isLast) return bytes;
  }
}
