import { createRestClient, type RestClientOptions } from '../../../src/rest-client/index.ts';
import { createFakeWorld, type FakeTab, type FakeWorld } from '../../support/fake-platform.ts';
import { json } from '../../support/wire/replies.ts';
import { createScriptedWire, type Reply } from '../../support/wire/scripted-wire.ts';
import type { SampleDatabase } from './sample-database.ts';

export const projectUrl = 'https://project.test';

export interface Recorded {
  readonly world: FakeWorld;
  readonly tab: FakeTab;
  readonly requests: readonly Request[];
}

/** A fake world whose fetch records each request and returns the responses in turn; the last one stays. */
export function createRecordingTab(replies: readonly Reply[] = [json([])]): Recorded {
  const world = createFakeWorld();
  const wire = createScriptedWire();
  wire.next(...replies.slice(0, -1));
  const last = replies.at(-1);
  if (last) wire.otherwise(last);
  return { world, tab: world.openTab({ fetch: wire.fetch }), requests: wire.requests };
}

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

/** A request in one line: `GET /notes?select=*`, percent-decoded. */
export function lineOf({ method, url }: { readonly method: string; readonly url: string }): string {
  const path = url.slice(`${projectUrl}/rest/v1`.length);
  return `${method} ${decodeURIComponent(path)}`;
}
