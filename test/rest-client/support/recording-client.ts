import { createRestClient, type RestClientOptions } from '../../../src/rest-client/index.ts';
import { createFakeWorld, type FakeTab, type FakeWorld } from '../../support/fake-platform.ts';
import type { SampleDatabase } from './sample-database.ts';

export const projectUrl = 'https://project.test';

/** An answer of the server, or what fetch throws. */
export type Reply = Response | Error | (() => Response | Promise<Response>);

export interface Recorded {
  readonly world: FakeWorld;
  readonly tab: FakeTab;
  readonly requests: readonly Request[];
}

/** A fake world whose fetch records each request and answers with the replies in turn; the last one stays. */
export function createRecordingTab(replies: readonly Reply[] = [json([])]): Recorded {
  const world = createFakeWorld();
  const requests: Request[] = [];
  const tab = world.openTab({
    async fetch(input, init) {
      const request = new Request(input, init);
      const reply = replies[Math.min(requests.length, replies.length - 1)];
      requests.push(request);
      if (reply instanceof Error) throw reply;
      if (typeof reply === 'function') return abortable(reply(), request.signal);
      return (reply as Response).clone();
    },
  });
  return { world, tab, requests };
}

function abortable(answer: Response | Promise<Response>, signal: AbortSignal): Promise<Response> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    Promise.resolve(answer).then(resolve, reject);
  });
}

/** A client with a recorder beneath. */
export function createRecordingClient(
  replies?: readonly Reply[],
  options: Partial<RestClientOptions<'public' | 'archive'>> = {},
) {
  const recorded = createRecordingTab(replies);
  const db = createRestClient<SampleDatabase, 'public'>({
    url: projectUrl,
    apiKey: 'sb_publishable_test',
    platform: recorded.tab,
    ...(options as Partial<RestClientOptions<'public'>>),
  });
  return { ...recorded, db };
}

export function json(
  body: unknown,
  { status = 200, headers = {} }: { status?: number; headers?: Record<string, string> } = {},
): Response {
  return new Response(JSON.stringify(body), {
    status,
    headers: { 'Content-Type': 'application/json', ...headers },
  });
}

/** An error as PostgREST sends it. */
export function refusal(status: number, code: string, more: Record<string, unknown> = {}): Response {
  return json({ code, message: `Refused with ${code}`, details: null, hint: null, ...more }, { status });
}

/** A request in one line: `GET /notes?select=*`, percent-decoded. */
export function lineOf({ method, url }: { readonly method: string; readonly url: string }): string {
  const path = url.slice(`${projectUrl}/rest/v1`.length);
  return `${method} ${decodeURIComponent(path)}`;
}

export const never = (): Promise<Response> => new Promise<Response>(() => undefined);
