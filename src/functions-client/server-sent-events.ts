/** One event of a stream (HTML Living Standard §9.2). */
export interface ServerSentEvent {
  /** The event's type. Default `message`. */
  readonly event: string;
  /** The lines of data, joined by line feeds. */
  readonly data: string;
  /** The last event id of the stream so far; null before the first one. */
  readonly id: string | null;
}

/**
 * Yields the events of a response as they arrive; in React Native, whose responses have no stream, once it is complete. An event that the
 * end cuts short is discarded.
 *
 * @param wait awaits each part of the body.
 */
export async function* readEvents(
  response: Response,
  wait: <T>(read: () => Promise<T>) => Promise<T>,
): AsyncGenerator<ServerSentEvent, void, undefined> {
  const read = readText(response);
  let carriageReturn = '';
  let line = '';
  let fields: EventFields = {};
  let lastEventId: string | null = null;
  for (let isEnded = false; !isEnded;) {
    const part = await wait(read);
    isEnded = part.isEnded;
    const text = carriageReturn + part.text;
    // A carriage return at the end may be the first half of a line ending, unless the stream has ended.
    carriageReturn = !isEnded && text.endsWith('\r') ? '\r' : '';
    // Each part is searched once: a line may take many of them.
    const [rest = '', ...lines] = text.slice(0, text.length - carriageReturn.length).split(/\r\n?|\n/);
    line += rest;
    for (const next of lines) {
      if (line) readField(line, fields);
      else {
        lastEventId = fields.id ?? lastEventId;
        if (fields.data)
          yield { event: fields.event || 'message', data: fields.data.join('\n'), id: lastEventId };
        fields = {};
      }
      line = next;
    }
  }
}

/** Each call of the result returns the next part of the text. */
function readText(response: Response): () => Promise<{ readonly text: string; readonly isEnded: boolean }> {
  const reader = response.body?.getReader();
  if (!reader) return async () => ({ text: await response.text(), isEnded: true });
  const decoder = new TextDecoder();
  return async () => {
    const { done: isEnded, value } = await reader.read();
    return { text: decoder.decode(value, { stream: !isEnded }), isEnded };
  };
}

interface EventFields {
  event?: string;
  data?: string[];
  id?: string;
}

function readField(line: string, fields: EventFields): void {
  const [, field, value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
  if (field === 'data') (fields.data ??= []).push(value);
  if (field === 'event') fields.event = value;
  if (field === 'id' && !value.includes('\0')) fields.id = value;
}
