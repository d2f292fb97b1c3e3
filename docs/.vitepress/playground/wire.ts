import type { WorkerSupabase } from 'local-supabase/browser';

/** A request or a frame of a socket. */
export interface WireEntry {
  readonly id: number;
  readonly direction: 'request' | 'sent' | 'received';
  readonly title: string;
  /** Status and duration of a request. */
  readonly outcome: string;
  readonly detail: string;
}

const longestText = 4000;

/** The project's `fetch` and `WebSocket`, which report every exchange. */
export function recordWire(
  supabase: WorkerSupabase,
  report: (entry: WireEntry) => void,
): Pick<typeof globalThis, 'fetch' | 'WebSocket'> {
  let lastId = 0;
  const isProject = (url: string) => url.startsWith(supabase.url);
  const record = (entry: Omit<WireEntry, 'id'>) => report({ ...entry, id: (lastId += 1) });
  const recordFrame = (direction: 'sent' | 'received', data: unknown) => {
    const text = typeof data === 'string' ? data : `binary, ${sizeOf(data)} bytes`;
    record({ direction, title: text.slice(0, 120), outcome: '', detail: text.slice(0, longestText) });
  };
  class RecordedSocket extends supabase.WebSocket {
    constructor(url: string | URL, protocols?: string | string[]) {
      super(url, protocols);
      this.addEventListener('message', ({ data }: MessageEvent<unknown>) => recordFrame('received', data));
    }
    override send(data: Parameters<WebSocket['send']>[0]): void {
      recordFrame('sent', data);
      super.send(data);
    }
  }
  return {
    WebSocket: RecordedSocket as unknown as typeof WebSocket,
    async fetch(input, init) {
      const request = new Request(input, init);
      if (!isProject(request.url)) return supabase.fetch(request);
      const { pathname, search } = new URL(request.url);
      const sent = await request.clone().text();
      const startedMs = performance.now();
      const response = await supabase.fetch(request);
      const received = await response.clone().text();
      record({
        direction: 'request',
        title: `${request.method} ${decodeURIComponent(pathname + search)}`,
        outcome: `${response.status}, ${Math.round(performance.now() - startedMs)} ms`,
        detail: [headersOf(request.headers), sent, headersOf(response.headers), received]
          .filter(Boolean)
          .map((text) => text.slice(0, longestText))
          .join('\n\n'),
      });
      return response;
    },
  };
}

function sizeOf(data: unknown): number {
  if (data instanceof Blob) return data.size;
  return data instanceof ArrayBuffer || ArrayBuffer.isView(data) ? data.byteLength : 0;
}

const headersOf = (headers: Headers) => [...headers].map(([name, value]) => `${name}: ${value}`).join('\n');
