/** One event of a stream (HTML Living Standard §9.2). */
export interface ServerSentEvent {
  /** Default `message`. */
  readonly event: string;
  readonly data: string;
  readonly id: string | null;
}

/** Reads events out of a body as they arrive. */
export async function* readEvents(
  body: ReadableStream<Uint8Array>,
): AsyncGenerator<ServerSentEvent, void, undefined> {
  const decoder = new TextDecoder();
  let text = '';
  const reader = body.getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    text += decoder.decode(part.value, { stream: true });
    // A carriage return at the end may be half of a line's end.
    const blocks = text.replace(/\r\n|\r(?!$)/g, '\n').split('\n\n');
    text = blocks.pop() ?? '';
    for (const block of blocks) {
      const event = parseEvent(block);
      if (event) yield event;
    }
  }
}

function parseEvent(block: string): ServerSentEvent | null {
  const data: string[] = [];
  let event = 'message';
  let id: string | null = null;
  for (const line of block.split('\n')) {
    const [, field, value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
    if (field === 'data') data.push(value);
    if (field === 'event') event = value;
    if (field === 'id') id = value;
  }
  return data.length ? { event, data: data.join('\n'), id } : null;
}
