import { canonicalJson, canonicalState } from './recorded-case.ts';
import type { RecordedCase } from './recorded-case.ts';
import type { PlainResponse, ReplayWorld } from './replay-world.ts';

const HEADERS = [
  'content-range',
  'content-type',
  'content-profile',
  'content-location',
  'location',
  'preference-applied',
  'www-authenticate',
  'proxy-status',
  'allow',
];

/** Sends recorded requests and returns the differences to the recorded responses. */
export interface Replay {
  run(recorded: RecordedCase): Promise<readonly string[]>;
}

export async function createReplay(world: ReplayWorld): Promise<Replay> {
  await world.reset();
  const seeded = await world.snapshot();
  let isSeeded = true;
  return {
    async run(recorded) {
      if (!isSeeded) await world.reset();
      isSeeded = !couldWrite(recorded);
      if (recorded.before !== undefined) {
        await world.database.query(recorded.before);
        isSeeded = false;
      }
      const before = recorded.before === undefined ? seeded : await world.snapshot();
      const received = await world.send(recorded);
      const after = couldWrite(recorded) ? await world.snapshot() : before;
      return [...compareResponses(recorded, received), ...compareStates(recorded, before, after)];
    },
  };
}

const couldWrite = ({ method, path, state }: RecordedCase): boolean =>
  state !== undefined || !['GET', 'HEAD', 'OPTIONS'].includes(method) || path.startsWith('/rpc/');

function compareResponses({ response: wanted, path }: RecordedCase, received: PlainResponse): string[] {
  const differences: string[] = [];
  const compare = (what: string, a: string, b: string) => {
    if (a !== b) differences.push(`${what}: wanted ${a}, got ${b}`);
  };
  compare('status', String(wanted.status), String(received.status));
  for (const name of HEADERS)
    compare(name, wanted.headers[name] ?? '(none)', received.headers[name] ?? '(none)');
  const isRoot = path === '' || path === '/';
  compare(
    'body',
    canonicalJson(wanted.body),
    canonicalJson(isRoot ? withoutHost(received.body) : received.body),
  );
  return differences;
}

/** The server's host differs by nature. */
function withoutHost(body: string): string {
  const parsed = body === '' ? {} : (JSON.parse(body) as Record<string, unknown>);
  return !('swagger' in parsed)
    ? body
    : JSON.stringify({ ...parsed, host: '{host}', basePath: '{basePath}', schemes: ['{scheme}'] });
}

type Snapshot = Readonly<Record<string, string>>;

function compareStates({ state = '{}' }: RecordedCase, before: Snapshot, after: Snapshot): string[] {
  const recorded = new Map(Object.entries(JSON.parse(canonicalState(state)) as Record<string, unknown>));
  return Object.entries(after).flatMap(([table, rows]) => {
    const changed = recorded.get(`s${table}`);
    const wanted = changed === undefined ? canonicalState(before[table] ?? '[]') : JSON.stringify(changed);
    const got = canonicalState(rows);
    return wanted === got ? [] : [`state of ${table}: wanted ${wanted}, got ${got}`];
  });
}
