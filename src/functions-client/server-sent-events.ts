/** One event of a stream (HTML Living Standard §9.2). */
export interface ServerSentEvent {
  /** The event's type. Default `message`. */
  readonly event: string;
  /** The lines of data, joined by line feeds. */
  readonly data: string;
  /** The last id of the stream so far, with this event or before; null: none yet. */
  readonly id: string | null;
}

/** Yields the events of a body as they arrive. An event that the end of the stream cuts short is discarded. */
export async function* readEvents(
  body: ReadableStream<Uint8Array>,
): AsyncGenerator<ServerSentEvent, void, undefined> {
  const decoder = new TextDecoder();
  let buffered = '';
  let lastEventId: string | null = null;
  const reader = body.getReader();
  for (let isEnded = false; !isEnded;) {
    const part = await reader.read();
    isEnded = part.done;
    buffered += decoder.decode(part.value, { stream: !isEnded });
    // A carriage return at the end may be the first half of a line ending, unless the stream has ended.
    const blocks = buffered.replace(isEnded ? /\r\n?/g : /\r\n|\r(?!$)/g, '\n').split('\n\n');
    buffered = blocks.pop() ?? '';
    for (const block of blocks) {
      const fields = parseBlock(block);
      lastEventId = fields.id ?? lastEventId;
      if (fields.data)
        yield { event: fields.event || 'message', data: fields.data.join('\n'), id: lastEventId };
    }
  }
}

interface EventFields {
  event?: string;
  data?: string[];
  id?: string;
}

function parseBlock(block: string): EventFields {
  const fields: EventFields = {};
  for (const line of block.split('\n')) {
    const [, field, value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
    if (field === 'data') (fields.data ??= []).push(value);
    if (field === 'event') fields.event = value;
    if (field === 'id' && !value.includes('\0')) fields.id = value;
  }
  return fields;
}
