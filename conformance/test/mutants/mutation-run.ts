import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { createDatabasePool, createLocalSupabase, type LocalSupabase } from 'local-supabase';
import { WebSocket, WebSocketServer } from 'ws';
import { createLocalTarget } from '../../bin/local-target.ts';
import type { Audit } from '../../src/audit/audit.ts';
import { chooseAudits } from '../../src/audits/audits.ts';
import { createDeadlineScale } from '../../src/target/deadlines.ts';
import { parseFrame } from '../../src/target/frames.ts';
import { runAudits } from '../../src/runner/runner.ts';
import type { ConformanceTarget } from '../../src/target/target.ts';
import type { ServerMutant } from './mutant.ts';

/** Some audits that fail with the fault, pass without it, and fail with it again, and their messages. */
export interface MutantResult {
  readonly mutant: ServerMutant;
  readonly noticedBy: readonly { readonly id: string; readonly expectation: string; readonly came: string }[];
}

export interface MutationRun {
  run(mutant: ServerMutant): Promise<MutantResult>;
  close(): Promise<void>;
}

/** One server for the mutants, and one from the same snapshot for each that needs other settings. */
export async function startMutationRun(): Promise<MutationRun> {
  const databases = createDatabasePool();
  const start = (settings: ServerMutant['settings'] = {}) =>
    createLocalSupabase({
      config: false,
      databases,
      port: 0,
      mailboxPort: 0,
      ...settings,
      auth: { bcryptCost: 4, mailResponseMs: 0, ...settings.auth },
      report: () => undefined,
    });
  const shared = await start();
  return {
    close: shared.close,
    async run(mutant) {
      const supabase = mutant.settings ? await start(mutant.settings) : shared;
      try {
        for (const audits of auditsOf(mutant).flatMap(inParts)) {
          const withIt = (chosen: readonly Audit[]) =>
            withFault(supabase, mutant, (target) => failuresOf(chosen, target));
          const failures = await withIt(audits);
          const ofSound = await failuresOf(namedIn(failures), createLocalTarget(shared));
          const noticedBy = await withIt(namedIn(failures.filter(({ id }) => !hasId(ofSound, id))));
          if (noticedBy.length > 0) return { mutant, noticedBy };
        }
        return { mutant, noticedBy: [] };
      } finally {
        if (supabase !== shared) await supabase.close();
      }
    },
  };
}

async function withFault<T>(
  supabase: LocalSupabase,
  mutant: ServerMutant,
  task: (target: ConformanceTarget) => Promise<T>,
): Promise<T> {
  const { fetch, frames, handshake, sql } = mutant;
  const target = createLocalTarget(supabase);
  const broken = fetch ? { ...target, fetch: fetch(target.fetch, supabase) } : target;
  if (sql) await supabase.database.exec(sql[0]);
  try {
    if (!frames && !handshake) return await task(broken);
    return await withRelay(supabase, broken, mutant, task);
  } finally {
    if (sql) await supabase.database.exec(sql[1]);
  }
}

/** Keeps deadlines as short as on a fast server: missing responses of a mutant are detected by them. */
const fixedScale = () => ({ ...createDeadlineScale(), record: () => undefined });

/** The audits of the fault's sections, then all others of its area. */
function auditsOf(mutant: ServerMutant): readonly (readonly Audit[])[] {
  const isNear = ({ source }: Audit) =>
    mutant.sections.some((section) => source === `protocol/${section.replace('#', '.md#')}`);
  return [
    chooseAudits({ set: 'server' }).filter(isNear),
    chooseAudits({ only: mutant.area, set: 'server' }).filter((audit) => !isNear(audit)),
  ];
}

const auditsOfPart = 24;

/** One audit that notices a mutant is enough: the run of a mutant ends with the first part that has one. */
const inParts = (audits: readonly Audit[]): readonly (readonly Audit[])[] =>
  Array.from({ length: Math.ceil(audits.length / auditsOfPart) }, (_, part) =>
    audits.slice(part * auditsOfPart, (part + 1) * auditsOfPart),
  );

type Failures = MutantResult['noticedBy'];

const hasId = (failures: Failures, id: string): boolean => failures.some((failure) => failure.id === id);

const namedIn = (failures: Failures): readonly Audit[] =>
  chooseAudits({ set: 'server' }).filter(({ id }) => hasId(failures, id));

async function failuresOf(
  audits: readonly Audit[],
  target: ConformanceTarget,
): Promise<MutantResult['noticedBy']> {
  const results = await runAudits(audits, target, {
    concurrency: 12,
    timeoutMs: 15_000,
    scale: fixedScale(),
  });
  return results.flatMap(({ audit, outcome }) =>
    outcome.status === 'failed'
      ? [{ id: audit.id, expectation: outcome.expectation, came: outcome.came }]
      : [],
  );
}

/** Passes the frames of the realtime service through a fault. */
async function withRelay<T>(
  supabase: LocalSupabase,
  target: ConformanceTarget,
  { frames, handshake }: Pick<ServerMutant, 'frames' | 'handshake'>,
  task: (target: ConformanceTarget) => Promise<T>,
): Promise<T> {
  const server = new WebSocketServer({ noServer: true });
  const http = createServer();
  http.on('upgrade', (request, socket, head) => {
    const url = new URL(request.url ?? '', target.realtimeUrl ?? '');
    handshake?.(url, supabase);
    const upstream = new WebSocket(url);
    upstream.once('unexpected-response', (_request, response) => {
      socket.end(`HTTP/1.1 ${response.statusCode} Refused\r\nConnection: close\r\n\r\n`);
      response.destroy();
    });
    upstream.once('error', () => socket.destroy());
    upstream.once('open', () =>
      server.handleUpgrade(request, socket, head, (client) => relay(client, upstream, frames?.() ?? {})),
    );
  });
  http.on('request', (request, response) => void passHttp(supabase, request, response));
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  try {
    const { port } = http.address() as AddressInfo;
    return await task({ ...target, realtimeUrl: `ws://127.0.0.1:${port}/realtime/v1/websocket` });
  } finally {
    for (const client of server.clients) client.terminate();
    http.close();
  }
}

/** Passes a broadcast by HTTP without a change: faults of those are in `fetch`. */
async function passHttp(
  { url, fetch }: LocalSupabase,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { authorization, apikey, 'content-type': type } = request.headers;
  const headers = Object.entries({ authorization, apikey, 'content-type': type }).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)]],
  );
  const body = await buffer(request);
  const passed = await fetch(url + request.url, {
    method: request.method ?? 'GET',
    headers: Object.fromEntries(headers) as Record<string, string>,
    ...(body.length > 0 && { body }),
  });
  response.writeHead(passed.status, { 'content-type': passed.headers.get('content-type') ?? 'text/plain' });
  response.end(await passed.text());
}

function relay(
  client: WebSocket,
  upstream: WebSocket,
  { toClient, toServer }: ReturnType<NonNullable<ServerMutant['frames']>>,
): void {
  const pass = (from: WebSocket, to: WebSocket, change: typeof toClient) => {
    from.on('message', (data, isBinary) => {
      const text = (data as Buffer).toString();
      if (isBinary || change === undefined || !text.startsWith('[')) return to.send(isBinary ? data : text);
      for (const { joinRef, ref, topic, event, payload } of change(parseFrame(text)))
        to.send(JSON.stringify([joinRef, ref, topic, event, payload]));
    });
    from.on('close', () => to.close());
    from.on('error', () => to.terminate());
  };
  pass(upstream, client, toClient);
  pass(client, upstream, toServer);
}
