/** One event of a stream (HTML Living Standard §9.2). */
export interface ServerSentEvent {
  /** Default `message`. */
  readonly event: string;
  readonly data: string;
  /** The last that the stream has named, with this event or before; null: none yet. */
  readonly id: string | null;
}

/** Reads events out of a body as they arrive. */
export async function* readEvents(
  body: ReadableStream<Uint8Array>,
): AsyncGenerator<ServerSentEvent, void, undefined> {
  const decoder = new TextDecoder();
  let text = '';
  let id: string | null = null;
  const reader = body.getReader();
  for (let isOver = false; !isOver;) {
    const part = await reader.read();
    isOver = part.done;
    text += decoder.decode(part.value, { stream: !isOver });
    // A carriage return at the end may be half of a line's end, until there is no more.
    const blocks = text.replace(isOver ? /\r\n?/g : /\r\n|\r(?!$)/g, '\n').split('\n\n');
    text = blocks.pop() ?? '';
    for (const block of blocks) {
      const fields = parseBlock(block);
      id = fields.id ?? id;
      if (fields.data) yield { event: fields.event || 'message', data: fields.data.join('\n'), id };
    }
  }
}

interface Fields {
  event?: string;
  data?: string[];
  id?: string;
}

function parseBlock(block: string): Fields {
  const fields: Fields = {};
  for (const line of block.split('\n')) {
    const [, field, value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
    if (field === 'data') (fields.data ??= []).push(value);
    if (field === 'event') fields.event = value;
    if (field === 'id' && !value.includes('\0')) fields.id = value;
  }
  return fields;
}
