import { createReader, readSections, readVector, SECTION, unsigned, writeSections } from './wasm-binary.ts';

/** Names that PostgreSQL and Emscripten look up at run time: `_PG_init`, `Pg_magic_func`, `__wasm_call_ctors`. */
const lookedUp = /^(?:_|Pg_|pg_finfo_)/;
/** The prefix of the descriptions of functions that PostgreSQL calls. */
const DESCRIPTION = 'pg_finfo_';

const TABLE = 1;
const MEMORY = 2;
const GLOBAL = 3;
const TAG = 4;

interface Export {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/**
 * Removes a library's unreachable exports: OpenSSL within pgcrypto exports 7,000 functions, and Emscripten creates
 * JavaScript objects for each of them, in each instance.
 *
 * @param library an Emscripten side module. Its own imports name the exports that it refers to itself.
 */
export function removeUnusedExports(library: Uint8Array): Uint8Array {
  const sections = readSections(library);
  const contentOf = (id: number) => sections.find((section) => section.id === id)?.content;
  const exported = contentOf(SECTION.export);
  if (!exported) return library;
  const imported = readImportNames(contentOf(SECTION.import) ?? Uint8Array.of(0));
  const all = readExports(exported);
  const names = new Set(all.map(({ name }) => name));
  const kept = all.filter(
    ({ name }) => lookedUp.test(name) || imported.has(name) || names.has(DESCRIPTION + name),
  );
  const content = [unsigned(kept.length), ...kept.map(({ bytes }) => bytes)];
  return writeSections(sections, new Map([[SECTION.export, content]]));
}

function readExports(content: Uint8Array): readonly Export[] {
  const reader = createReader(content);
  return Array.from({ length: reader.unsigned() }, () => {
    const start = reader.offset();
    const name = reader.name();
    reader.byte();
    reader.unsigned();
    return { name, bytes: content.subarray(start, reader.offset()) };
  });
}

function readImportNames(content: Uint8Array): ReadonlySet<string> {
  const names = readVector(content, (reader) => {
    reader.name();
    const name = reader.name();
    const kind = reader.byte();
    if (kind === GLOBAL) reader.bytes(2);
    else if (kind === TABLE || kind === MEMORY) {
      if (kind === TABLE) reader.byte();
      const hasMaximum = (reader.byte() & 1) === 1;
      reader.unsigned();
      if (hasMaximum) reader.unsigned();
    } else {
      if (kind === TAG) reader.byte();
      reader.unsigned();
    }
    return name;
  });
  return new Set(names);
}
