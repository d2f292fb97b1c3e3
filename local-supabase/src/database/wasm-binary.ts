export const SECTION = { type: 1, import: 2, function: 3, global: 6, export: 7, code: 10 } as const;
/** The magic number, and version 1. */
const HEADER = Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0);

/** A section of a module (https://webassembly.github.io/spec/core/binary/modules.html). */
export interface Section {
  readonly id: number;
  readonly content: Uint8Array;
}

/** Reads the values of a module in order. */
export interface Reader {
  readonly done: () => boolean;
  readonly offset: () => number;
  readonly byte: () => number;
  readonly bytes: (length: number) => Uint8Array;
  readonly unsigned: () => number;
  readonly signed: () => number;
  readonly name: () => string;
}

export function createReader(data: Uint8Array): Reader {
  let offset = 0;
  const byte = () => data[offset++] ?? 0;
  const bytes = (length: number) => data.subarray(offset, (offset += length));
  const readVariable = (isSigned: boolean) => {
    let [result, shift, last] = [0, 0, 0];
    do {
      last = byte();
      result |= (last & 0x7f) << shift;
      shift += 7;
    } while (last & 0x80);
    if (!isSigned) return result >>> 0;
    return shift < 32 && last & 0x40 ? result | (-1 << shift) : result;
  };
  return {
    done: () => offset >= data.length,
    offset: () => offset,
    byte,
    bytes,
    unsigned: () => readVariable(false),
    signed: () => readVariable(true),
    name: () => new TextDecoder().decode(bytes(readVariable(false))),
  };
}

export function readSections(module: Uint8Array): readonly Section[] {
  const reader = createReader(module.subarray(HEADER.length));
  const sections: Section[] = [];
  while (!reader.done()) sections.push({ id: reader.byte(), content: reader.bytes(reader.unsigned()) });
  return sections;
}

export function readVector<T>(content: Uint8Array, read: (reader: Reader) => T): readonly T[] {
  const reader = createReader(content);
  return Array.from({ length: reader.unsigned() }, () => read(reader));
}

/** @param replaced new contents by section id. */
export function writeSections(
  sections: readonly Section[],
  replaced: ReadonlyMap<number, readonly Uint8Array[]>,
): Uint8Array<ArrayBuffer> {
  const written: Uint8Array[] = [HEADER];
  for (const { id, content } of sections) {
    const parts = replaced.get(id) ?? [content];
    written.push(Uint8Array.of(id), unsigned(lengthOf(parts)), ...parts);
  }
  return join(written);
}

/** Encodes an unsigned number (LEB128). */
export function unsigned(value: number): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  do {
    bytes.push((rest & 0x7f) | (rest > 0x7f ? 0x80 : 0));
    rest >>>= 7;
  } while (rest > 0);
  return Uint8Array.from(bytes);
}

function join(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const joined = new Uint8Array(lengthOf(parts));
  let offset = 0;
  for (const part of parts) {
    joined.set(part, offset);
    offset += part.length;
  }
  return joined;
}

const lengthOf = (parts: readonly Uint8Array[]): number =>
  parts.reduce((length, part) => length + part.length, 0);
