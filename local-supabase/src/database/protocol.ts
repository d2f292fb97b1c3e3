/** Messages of PostgreSQL's extended query protocol, limited to a pipeline of unnamed statements. */

export interface ProtocolStatement {
  readonly text: string;
  /** Sent as text; PostgreSQL infers their types. */
  readonly values?: readonly (string | null)[];
}

/** One row of values in PostgreSQL's text format. */
export type TextRow = readonly (string | null)[];

export interface PipelineResult {
  /** The types (OIDs) of the columns; a domain has the OID of its base type. */
  readonly types: readonly number[];
  readonly rows: readonly TextRow[];
}

const encoder = new TextEncoder();

/** Parse, bind, describe and execute for each statement, then one sync: an error skips all messages up to the sync. */
export function encodePipeline(statements: readonly ProtocolStatement[]): Uint8Array {
  const messages = statements.flatMap(({ text, values = [] }) => [
    message('P', [cString(''), cString(text), int16(0)]),
    message('B', [
      cString(''),
      cString(''),
      int16(0),
      int16(values.length),
      ...values.flatMap(encodeValue),
      int16(0),
    ]),
    message('D', [encoder.encode('P'), cString('')]),
    message('E', [cString(''), int32(0)]),
  ]);
  return concatenate([...messages, message('S', [])]);
}

function encodeValue(value: string | null): Uint8Array[] {
  if (value === null) return [int32(-1)];
  const bytes = encoder.encode(value);
  return [int32(bytes.length), bytes];
}

function message(type: string, parts: readonly Uint8Array[]): Uint8Array {
  const body = concatenate(parts);
  return concatenate([encoder.encode(type), int32(body.length + 4), body]);
}

const cString = (text: string): Uint8Array => encoder.encode(`${text}\0`);

function int16(number: number): Uint8Array {
  const bytes = new Uint8Array(2);
  new DataView(bytes.buffer).setInt16(0, number);
  return bytes;
}

function int32(number: number): Uint8Array {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setInt32(0, number);
  return bytes;
}

function concatenate(parts: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    bytes.set(part, offset);
    offset += part.length;
  }
  return bytes;
}
