import { channelChangeOf, type ChannelChange } from './channels.ts';
import { message, statementText, type Message } from './messages.ts';

/** The messages that a client sends before it waits for a response; they are passed on together. */
export interface PortRequest {
  readonly bytes: Buffer;
  /** Types of messages that were already sent to the client. */
  readonly sentTypes: ReadonlySet<string>;
  /** How its statements change the client's channels. */
  readonly change: ChannelChange | undefined;
  /** Whether it removes the prepared statements of every client. */
  readonly removesStatements: boolean;
}

/** Query, sync, flush and function call: the client waits for a response to these. */
const AWAITS_RESPONSE: ReadonlySet<string> = new Set(['Q', 'S', 'H', 'F']);
const COPIES_IN = /\bcopy\b.*\bfrom\s+stdin\b/is;
/** The responses to parse, bind and describe for a statement without rows. */
const COMPLETIONS: Readonly<Record<string, string>> = { P: '1', B: '2', D: 'n' };
const REMOVES_STATEMENTS = /\b(?:deallocate\s+(?:prepare\s+)?all|discard\s+(?:all|plans))\b/i;
const NONE: ReadonlySet<string> = new Set();

/** The responses that a request to copy has sent before it runs. */
const COPY_RESPONSES: ReadonlySet<string> = new Set([...Object.values(COMPLETIONS), 'G']);

/**
 * Collects messages into requests. PostgreSQL in WebAssembly cannot wait within a statement, so `COPY … FROM STDIN`
 * requests the data from the client first and runs when it is complete.
 */
export class RequestCollector {
  readonly #invite: (bytes: Buffer) => void;
  #parts: Buffer[] = [];
  #completions: Buffer[] = [];
  #texts: string[] = [];
  #copies = false;
  #isBinary = false;
  #phase: 'statement' | 'data' | 'sync' = 'statement';
  #isSimple = false;

  /** @param invite sends the request for data to the client. */
  constructor(invite: (bytes: Buffer) => void) {
    this.#invite = invite;
  }

  take(received: Message): PortRequest | undefined {
    const { type, bytes } = received;
    if (this.#phase === 'data') return this.#takeData(received);
    if (type === 'Q' || type === 'P') this.#readText(received);
    if (this.#phase === 'sync') {
      this.#parts.push(bytes);
      return type === 'S' ? this.#finish(COPY_RESPONSES) : undefined;
    }
    const completion = COMPLETIONS[type];
    if (completion !== undefined) this.#completions.push(message(completion));
    if (this.#copies && AWAITS_RESPONSE.has(type)) {
      this.#requestData(received);
      return undefined;
    }
    this.#parts.push(bytes);
    // Ends a `COPY … FROM STDIN` that was not detected; otherwise PostgreSQL ignores the message.
    if (type === 'Q') this.#parts.push(message('f', 'no data'));
    return AWAITS_RESPONSE.has(type) ? this.#finish() : undefined;
  }

  #readText(received: Message): void {
    const text = statementText(received).replaceAll(/\/\*.*?\*\/|--[^\n]*/gs, ' ');
    this.#texts.push(text);
    this.#copies ||= COPIES_IN.test(text);
    this.#isBinary = /\bbinary\b/i.test(text);
  }

  #requestData({ type, bytes }: Message): void {
    this.#isSimple = type === 'Q';
    if (this.#isSimple) this.#parts.push(bytes);
    this.#phase = 'data';
    const format = Buffer.from([this.#isBinary ? 1 : 0, 0, 0]);
    this.#invite(Buffer.concat([...this.#completions, message('G', format)]));
  }

  #takeData({ type, bytes }: Message): PortRequest | undefined {
    // PostgreSQL ignores Sync and Flush during COPY.
    if (type === 'S' || type === 'H') return undefined;
    this.#parts.push(bytes);
    if (type !== 'c' && type !== 'f') return undefined;
    if (this.#isSimple) return this.#finish(COPY_RESPONSES);
    this.#phase = 'sync';
    return undefined;
  }

  #finish(sentTypes = NONE): PortRequest {
    const text = this.#texts.join('; ');
    const request: PortRequest = {
      bytes: Buffer.concat(this.#parts),
      sentTypes,
      change: channelChangeOf(text),
      removesStatements: REMOVES_STATEMENTS.test(text),
    };
    this.#texts = [];
    this.#parts = [];
    this.#completions = [];
    this.#copies = false;
    this.#phase = 'statement';
    return request;
  }
}
