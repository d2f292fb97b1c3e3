import { expect, test } from 'vitest';
import { createAccountApi } from '../../../../src/inbox/features/account/account-api.ts';
import type { Database } from '../../../../src/inbox/database.types.ts';
import { createPlatform } from '../../../../src/platform/browser-platform.ts';
import { createRestClient } from '../../../../src/rest-client/index.ts';

const pagesOfRows = [
  [
    { id: 'a', updated_at: '2026-01-01T00:00:00Z', status: 'unread' },
    { id: 'b', updated_at: '2026-01-02T00:00:00Z', status: 'unread' },
  ],
  // Read while the first page was in flight.
  [
    { id: 'c', updated_at: '2026-01-03T00:00:00Z', status: 'unread' },
    { id: 'a', updated_at: '2026-01-04T00:00:00Z', status: 'read' },
  ],
  [],
];

test('the download reads the notifications in pages, each once, and returns their number', async () => {
  const pages = [...pagesOfRows];
  const requests: URL[] = [];
  const rest = createRestClient<Database>({
    url: 'https://project.test',
    apiKey: 'key',
    getAccessToken: () => Promise.resolve(null),
    platform: createPlatform({
      fetch(input, init) {
        const { url } = new Request(input, init);
        requests.push(new URL(url));
        return Promise.resolve(
          Response.json(
            url.includes('/rpc/') ? { account: { id: 'ada' }, notifications: [] } : pages.shift(),
          ),
        );
      },
    }),
  });
  const counts: number[] = [];
  const data = await createAccountApi(rest).exportData((count) => counts.push(count));
  expect(data).toEqual({
    account: { id: 'ada' },
    notifications: [pagesOfRows[1]?.[1], pagesOfRows[0]?.[1], pagesOfRows[1]?.[0]],
  });
  expect(counts).toEqual([2, 3]);
  expect(requests.map(({ pathname }) => pathname.split('/').at(-1))).toEqual([
    'export_account_data',
    'notifications',
    'notifications',
    'notifications',
  ]);
});
