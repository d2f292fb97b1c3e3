import { channelChangeOf, type ChannelChange } from './channels.ts';
import { message, statementText, type Message } from './messages.ts';

/** What a client sent until it waits for an answer, to be run at once. */
export interface PortRequest {
  readonly bytes: Buffer;
  /** Types of messages that the client has got already. */
  readonly answered: ReadonlySet<string>;
  /** What its statements do to the channels to which the client listens. */
  readonly change: ChannelChange | undefined;
  /** Whether it removes the prepared statements of every client. */
  readonly removesStatements: boolean;
}

/** Query, sync, flush and function call: after these a client waits for an answer. */
const AWAITS_ANSWER: ReadonlySet<string> = new Set(['Q', 'S', 'H', 'F']);
const COPIES_IN = /\bcopy\b.*\bfrom\s+stdin\b/is;
/** Parse, bind and describe complete, as a statement without rows answers them. */
const COMPLETIONS: Readonly<Record<string, string>> = { P: '1', B: '2', D: 'n' };
const REMOVES_STATEMENTS = /\b(?:deallocate\s+(?:prepare\s+)?all|discard\s+(?:all|plans))\b/i;
const NONE: ReadonlySet<string> = new Set();

/**
 * Collects the messages of requests. PostgreSQL in WebAssembly cannot wait within a statement, so `COPY … FROM STDIN`
 * runs when its data is complete: the client is invited to send it before.
 *
 * @param invite writes to the client.
 */
export function createRequestCollector(invite: (bytes: Buffer) => void): {
  take(received: Message): PortRequest | undefined;
} {
  let parts: Buffer[] = [];
  let completions: Buffer[] = [];
  let texts: string[] = [];
  let copies = false;
  let isBinary = false;
  let phase: 'statement' | 'data' | 'sync' = 'statement';
  let isSimple = false;
  const finish = (answered = NONE): PortRequest => {
    const text = texts.join('; ');
    const request: PortRequest = {
      bytes: Buffer.concat(parts),
      answered,
      change: channelChangeOf(text),
      removesStatements: REMOVES_STATEMENTS.test(text),
    };
    texts = [];
    parts = [];
    completions = [];
    copies = false;
    phase = 'statement';
    return request;
  };
  const answered = new Set([...Object.values(COMPLETIONS), 'G']);
  return {
    take(received) {
      const { type, bytes } = received;
      if (phase === 'data') {
        // Sync and flush mean nothing within the data.
        if (type === 'S' || type === 'H') return undefined;
        parts.push(bytes);
        if (type !== 'c' && type !== 'f') return undefined;
        if (isSimple) return finish(answered);
        phase = 'sync';
        return undefined;
      }
      if (type === 'Q' || type === 'P') {
        const text = statementText(received).replaceAll(/\/\*.*?\*\/|--[^\n]*/gs, ' ');
        texts.push(text);
        copies ||= COPIES_IN.test(text);
        isBinary = /\bbinary\b/i.test(text);
      }
      if (phase === 'sync') {
        parts.push(bytes);
        return type === 'S' ? finish(answered) : undefined;
      }
      const completion = COMPLETIONS[type];
      if (completion !== undefined) completions.push(message(completion));
      if (copies && AWAITS_ANSWER.has(type)) {
        isSimple = type === 'Q';
        if (isSimple) parts.push(bytes);
        phase = 'data';
        invite(Buffer.concat([...completions, message('G', Buffer.from([isBinary ? 1 : 0, 0, 0]))]));
        return undefined;
      }
      parts.push(bytes);
      // Ends a `COPY … FROM STDIN` that was not seen; else PostgreSQL ignores it.
      if (type === 'Q') parts.push(message('f', 'no data'));
      return AWAITS_ANSWER.has(type) ? finish() : undefined;
    },
  };
}
