/**
 * Five tabs of one user in real Chromium against the embedded server: one websocket; the leader is killed; the server
 * dies and comes back while 500 changes are written. Prints JSON and fails where a tab differs from the table.
 * Run: `npx tsx test/realtime-client/browser/five-tabs.ts`.
 */
import { strict as assert } from 'node:assert';
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { build } from 'esbuild';
import { chromium } from 'playwright-core';
import { createLocalSupabase } from '../../../local-supabase/server.ts';
import { browserArgs, findBrowser } from '../../../scripts/browser.ts';
import { ada } from '../../support/local-supabase.ts';

const supabase = await createLocalSupabase({ port: 0 });
const { database, realtime } = supabase;
const nowSeconds = Math.floor(Date.now() / 1_000);
const claims = {
  sub: ada.id,
  role: 'authenticated',
  aud: 'authenticated',
  iat: nowSeconds,
  exp: nowSeconds + 3_600,
};
const token = await supabase.keys.sign(claims);

const { outputFiles } = await build({
  entryPoints: [new URL('tab.ts', import.meta.url).pathname],
  bundle: true,
  write: false,
  format: 'iife',
  target: 'es2022',
});
const page = `<!doctype html><script>window.options = ${JSON.stringify({ url: supabase.url, apiKey: supabase.anonKey, token, userId: ada.id })}</script><script>${outputFiles[0]?.text ?? ''}</script>`;
const selectRows = () =>
  database.query<{ id: string; recipient_id: string; updated_at: string }>(
    "select id, recipient_id, to_jsonb(n) ->> 'updated_at' as updated_at from public.notifications n where recipient_id = $1",
    [ada.id],
  );
const site = createServer((request, response) => {
  if (request.url !== '/rows') {
    response.setHeader('content-type', 'text/html').end(page);
    return;
  }
  void selectRows().then((rows) =>
    response.setHeader('content-type', 'application/json').end(JSON.stringify(rows)),
  );
});
await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
const address = `http://127.0.0.1:${(site.address() as AddressInfo).port}/`;

const browser = await chromium.launch({
  executablePath: findBrowser(),
  args: [...browserArgs],
});
const context = await browser.newContext();
const tabs = await Promise.all(
  Array.from({ length: 5 }, async () => {
    const tab = await context.newPage();
    await tab.goto(address);
    return tab;
  }),
);
type Tab = (typeof tabs)[number];
const untilLive = (tab: Tab) =>
  tab.waitForFunction(() => window.tab.isCurrent(), undefined, { timeout: 30_000 });
const untilHas = (tab: Tab, id: string) =>
  tab.waitForFunction((wanted) => window.tab.ids().includes(wanted), id, { timeout: 30_000 });
const insert = async () => {
  const id = randomUUID();
  await database.query('insert into public.notifications (id, recipient_id) values ($1, $2)', [id, ada.id]);
  return id;
};

await Promise.all(tabs.map(untilLive));
const socketsAtFirst = realtime.statistics.sockets;

const first = await insert();
await Promise.all(tabs.map((tab) => untilHas(tab, first)));
const leaderAt = (await Promise.all(tabs.map((tab) => tab.evaluate(() => window.tab.sockets)))).findIndex(
  (count) => count > 0,
);
const [leader] = tabs.splice(leaderAt, 1);
await leader?.close({ runBeforeUnload: false });
const killedAt = performance.now();
const next = await insert();
await Promise.all(tabs.map((tab) => untilHas(tab, next)));
const nextEverywhereMs = Math.round(performance.now() - killedAt);
await Promise.all(tabs.map(untilLive));
const socketsAfterKill = realtime.statistics.sockets;

const written: string[] = [];
for (let change = 0; change < 500; change += 1) {
  if (change === 150) await realtime.faults.kill();
  if (change === 350) await realtime.faults.recover();
  if (change % 5 < 4) written.push(await insert());
  else await database.query('delete from public.notifications where id = $1', [written.shift()]);
}
const writtenAt = performance.now();
const table = (await selectRows()).map(({ id }) => id).sort();
await Promise.all(
  tabs.map((tab) =>
    tab.waitForFunction(
      (wanted) => window.tab.isCurrent() && window.tab.ids().join() === wanted,
      table.join(),
      {
        timeout: 60_000,
      },
    ),
  ),
);
const equalAfterMs = Math.round(performance.now() - writtenAt);
const socketsAtLast = realtime.statistics.sockets;
await browser.close();
site.close();
await supabase.close();

console.log(
  JSON.stringify({ socketsAtFirst, nextEverywhereMs, socketsAfterKill, equalAfterMs, socketsAtLast }),
);
assert.deepEqual([socketsAtFirst, socketsAfterKill, socketsAtLast], [1, 1, 1]);
assert.ok(nextEverywhereMs < 5_000);
