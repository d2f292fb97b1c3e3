/** Messages of PostgreSQL's protocol 3.0 (https://www.postgresql.org/docs/current/protocol-message-formats.html). */

export interface Message {
  /** One character; empty for the messages before a session starts. */
  readonly type: string;
  /** Includes type and length. */
  readonly bytes: Buffer;
}

/** Longer messages end the connection; no client of this port sends one. */
const MAX_MESSAGE_BYTES = 256 * 1024 * 1024;

/**
 * Splits a stream into messages.
 *
 * @throws {RangeError} for an impossible length, as from a client of another protocol.
 */
export function createMessageReader(): { read(chunk: Buffer, isStarted: () => boolean): Generator<Message> } {
  let rest: Buffer = Buffer.alloc(0);
  return {
    *read(chunk, isStarted) {
      rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      for (;;) {
        const typeLength = isStarted() ? 1 : 0;
        if (rest.length < typeLength + 4) return;
        const length = rest.readInt32BE(typeLength);
        if (length < 4 || length > (isStarted() ? MAX_MESSAGE_BYTES : 10_000))
          throw new RangeError(`A message with a length of ${length} bytes is invalid`);
        const end = typeLength + length;
        if (rest.length < end) return;
        const bytes = rest.subarray(0, end);
        rest = rest.subarray(end);
        yield { type: bytes.toString('latin1', 0, typeLength), bytes };
      }
    },
  };
}

/** The messages in PostgreSQL's response. */
export function splitMessages(data: Uint8Array): readonly Message[] {
  return [...createMessageReader().read(Buffer.from(data), () => true)];
}

export function message(type: string, ...parts: readonly (Buffer | string)[]): Buffer {
  const body = Buffer.concat(parts.map((part) => (typeof part === 'string' ? cString(part) : part)));
  return Buffer.concat([Buffer.from(type, 'latin1'), int32(body.length + 4), body]);
}

export function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}

const cString = (text: string): Buffer => Buffer.from(`${text}\0`);

export function errorMessage(severity: 'ERROR' | 'FATAL', code: string, text: string): Buffer {
  return message('E', `S${severity}`, `V${severity}`, `C${code}`, `M${text}`, Buffer.from([0]));
}

/** Renames the named statement of a message, because clients share one session with unique names. */
export function renameStatement({ type, bytes }: Message, rename: (name: string) => string): Buffer {
  const body = bytes.subarray(5);
  if (type === 'P') return replaceName(type, body, 0, rename);
  // A bind message contains the name of the portal first.
  if (type === 'B') return replaceName(type, body, body.indexOf(0) + 1, rename);
  const isStatement = (type === 'D' || type === 'C') && body[0] === 'S'.charCodeAt(0);
  return isStatement ? replaceName(type, body, 1, rename) : bytes;
}

function replaceName(type: string, body: Buffer, start: number, rename: (name: string) => string): Buffer {
  const end = body.indexOf(0, start);
  const name = body.toString('utf8', start, end);
  return message(type, body.subarray(0, start), rename(name), body.subarray(end + 1));
}

export function startupParameters(bytes: Buffer): Readonly<Record<string, string>> {
  const words = bytes.toString('utf8', 8).split('\0');
  const pairs: [string, string][] = [];
  for (let index = 0; index + 1 < words.length && words[index] !== ''; index += 2)
    pairs.push([words[index] ?? '', words[index + 1] ?? '']);
  return Object.fromEntries(pairs);
}

export function statementText({ type, bytes }: Message): string {
  const start = type === 'P' ? bytes.indexOf(0, 5) + 1 : 5;
  return bytes.toString('utf8', start, bytes.indexOf(0, start));
}
