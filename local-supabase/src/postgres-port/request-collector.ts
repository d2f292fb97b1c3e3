import { channelChangeOf, type ChannelChange } from './channels.ts';
import { message, statementText, type Message } from './messages.ts';

/** The messages that a client sent before it waits for a response; they are sent at once. */
export interface PortRequest {
  readonly bytes: Buffer;
  /** Types of messages that were already sent to the client. */
  readonly answered: ReadonlySet<string>;
  /** How its statements change the client's channels. */
  readonly change: ChannelChange | undefined;
  /** Whether it removes the prepared statements of every client. */
  readonly removesStatements: boolean;
}

/** Query, sync, flush and function call: the client waits for a response to these. */
const AWAITS_ANSWER: ReadonlySet<string> = new Set(['Q', 'S', 'H', 'F']);
const COPIES_IN = /\bcopy\b.*\bfrom\s+stdin\b/is;
/** The responses to parse, bind and describe for a statement without rows. */
const COMPLETIONS: Readonly<Record<string, string>> = { P: '1', B: '2', D: 'n' };
const REMOVES_STATEMENTS = /\b(?:deallocate\s+(?:prepare\s+)?all|discard\s+(?:all|plans))\b/i;
const NONE: ReadonlySet<string> = new Set();

/**
 * Collects messages into requests. PostgreSQL in WebAssembly cannot wait within a statement, so `COPY … FROM STDIN`
 * requests the data from the client first and runs when it is complete.
 *
 * @param invite sends the request for data to the client.
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
        // PostgreSQL ignores Sync and Flush during COPY.
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
      // Ends a `COPY … FROM STDIN` that was not detected; otherwise PostgreSQL ignores the message.
      if (type === 'Q') parts.push(message('f', 'no data'));
      return AWAITS_ANSWER.has(type) ? finish() : undefined;
    },
  };
}
