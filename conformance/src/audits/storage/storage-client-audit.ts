import { createPlatform, type Platform } from 'supabase-protocol-clients/platform';
import {
  type Bucket,
  createStorageClient,
  type StorageClient,
} from 'supabase-protocol-clients/storage-client';
import { assert } from '../../target/assertion.ts';
import type { Audit } from '../../audit/audit.ts';
import { clientAuditsOf, type ClientContext } from '../../clients/client-audit.ts';
import type { ClientConnection, Tab } from '../../clients/tab.ts';
import { withBucket } from '../../audit/bucket.ts';

const audit = clientAuditsOf('storage-client');

/** An intercepted request to the service. */
export interface PassingRequest {
  readonly method: string;
  readonly url: string;
  /** Sends the request, and returns the response. */
  forward(): Promise<Response>;
}

/** Responds to a request in place of the service, or forwards it. */
export type Intercept = (request: PassingRequest) => Response | Promise<Response>;

/** A new bucket with our client over a recorded network. */
export interface ClientBucket {
  readonly bucket: Bucket;
  readonly storage: StorageClient;
  /** Uses the service key, because no policy permits users. */
  readonly connection: ClientConnection;
  /** Requests that passed the network, as `METHOD url`. */
  readonly requests: readonly string[];
  /** The waits before retries, in milliseconds; they are recorded and skipped. */
  readonly waitsMs: readonly number[];
  readonly tab: Tab;
  readonly context: ClientContext;
  /** Passes every further request to `next`. */
  intercept(next: Intercept): void;
}

/** Shorter timers are waits before a retry; longer ones are deadlines. */
const longestWaitMs = 30_000;

function createQuickPlatform({ platform }: Tab, fetch: Platform['fetch'], waitsMs: number[]): Platform {
  const { clock } = platform;
  return createPlatform({
    fetch,
    clock: {
      ...clock,
      setTimer(callback, delayMs) {
        if (delayMs > longestWaitMs) return clock.setTimer(callback, delayMs);
        waitsMs.push(delayMs);
        return clock.setTimer(callback, 0);
      },
    },
  });
}

/** The sections that the client's storage audits cite. */
type Section =
  | 'access'
  | 'buckets'
  | 'clients'
  | 'links'
  | 'lists'
  | 'names'
  | 'reads'
  | 'removal-and-transfers'
  | 'resumable-uploads'
  | 'uploads';

/** Creates audits that each have a new bucket, which is removed afterwards. */
export const clientBucketAudits =
  (section: Section) =>
  (
    id: string,
    title: string,
    task: (own: ClientBucket) => Promise<void>,
    { isPublic = false, since }: { readonly isPublic?: boolean; readonly since?: string } = {},
  ): Audit =>
    audit(
      id,
      title,
      {
        source: `protocol/storage.md#${section}`,
        needs: ['service-key'],
        ...(since !== undefined && { since }),
      },
      (context) =>
        withBucket(context.server, isPublic, async ({ name }) => {
          const tab = await context.open();
          const requests: string[] = [];
          const waitsMs: number[] = [];
          let respond: Intercept = ({ forward }) => forward();
          const platform = createQuickPlatform(
            tab,
            async (input, init) => {
              const { method, url } = new Request(input, init);
              requests.push(`${method} ${url}`);
              return respond({ method, url, forward: async () => tab.platform.fetch(input, init) });
            },
            waitsMs,
          );
          const connection = { url: tab.url, apiKey: context.server.target.serviceKey ?? '', platform };
          const storage = createStorageClient(connection);
          await task({
            bucket: storage.from(name),
            storage,
            connection,
            requests,
            waitsMs,
            tab,
            context,
            intercept: (next) => void (respond = next),
          });
        }),
    );

/** The sign-in page of a captive network. */
export const signInPage = (): Response =>
  new Response('<!doctype html><title>Sign in to Wi-Fi</title>', {
    headers: { 'content-type': 'text/html; charset=utf-8' },
  });

/** Rejects as `fetch` does when the connection breaks. */
export const disconnect = (): Promise<never> => Promise.reject(new TypeError('fetch failed'));

/** Requests a URL as a browser without a session does. */
export async function open(
  { context }: ClientBucket,
  url: string,
): Promise<{ status: number; text: string; headers: Headers }> {
  const response = await context.server.target.fetch(url, {});
  return { status: response.status, text: await response.text(), headers: response.headers };
}

/** The rejection's code, or `accepted`. */
export const codeOf = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => 'accepted',
    (problem: { readonly code?: unknown }) => problem.code ?? problem,
  );

export const countOf = ({ requests }: ClientBucket, match: RegExp): number =>
  requests.filter((request) => match.test(request)).length;

export async function assertStored({ bucket }: ClientBucket, path: string, bytes: Uint8Array): Promise<void> {
  const stored = new Uint8Array(await (await bucket.download(path)).arrayBuffer());
  assert.ok(
    Buffer.from(stored).equals(Buffer.from(bytes)),
    `the object ${path} has the bytes that were sent`,
    `${stored.length} bytes`,
  );
}
