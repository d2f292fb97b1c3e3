import { Hono } from 'hono';
import type { FaultRule } from './fault-rule.ts';
import type { Faults, PollerState } from './faults.ts';

/** A rule as JSON; `path` is a prefix, or an expression between slashes. */
type WireRule = Omit<FaultRule, 'path'> & { readonly path?: string };

/**
 * Serves the faults over HTTP, for the page and for tests in another process. Commands must be JSON, which a page of
 * another origin cannot send without a preflight.
 */
export function createFaultsApi(faults: Faults): Hono {
  const app = new Hono();
  /** @param run returns the reason if the body is invalid. */
  const command = (
    name: string,
    run: (body: Record<string, unknown>) => Promise<string | void> | string | void,
  ) =>
    app.post(`/${name}`, async (c) => {
      if (!c.req.header('content-type')?.startsWith('application/json'))
        return c.text('JSON is expected', 415);
      const invalid = await run((await c.req.json().catch(() => ({}))) as Record<string, unknown>);
      return typeof invalid === 'string' ? c.text(invalid, 400) : c.body(null, 204);
    });
  app.get('/rules', (c) => c.json(faults.list().map(encodeRule)));
  app.delete('/rules', async (c) => {
    await faults.clear();
    return c.body(null, 204);
  });
  command('rules', (body) => void faults.add(parseRule(body)));
  command('drop-sockets', () => faults.dropSockets());
  command('freeze-sockets', () => faults.freezeSockets());
  command('expire-tokens', () => faults.expireTokens());
  command('rotate-keys', () => faults.rotateKeys());
  command('skew-clock', ({ byMs }) => faults.skewClock(Number(byMs) || 0));
  command('restart', ({ downMs }) => faults.restart(Number(downMs) || 0));
  command('restart-database', ({ downMs }) => faults.restartDatabase(Number(downMs) || 0));
  command('restart-during-transaction', ({ openMs }) => faults.restartDuringTransaction(Number(openMs) || 0));
  command('limit-events', ({ perSecond }) =>
    faults.limitEvents(typeof perSecond === 'number' ? perSecond : null),
  );
  command('message-replication', ({ isRunning }) => faults.setMessageReplication(isRunning !== false));
  command('poller', ({ state }) => {
    const known = POLLER_STATES.find((candidate) => candidate === state);
    return known ? faults.setPoller(known) : `state must be one of ${POLLER_STATES.join(', ')}`;
  });
  return app;
}

const POLLER_STATES: readonly PollerState[] = ['running', 'ended', 'slot-refused', 'slot-waiting'];

function encodeRule({ path, ...rule }: FaultRule): WireRule {
  return path === undefined ? rule : { ...rule, path: String(path) };
}

function parseRule({ path, ...rule }: WireRule): FaultRule {
  const [, expression] = /^\/(.+)\/$/.exec(path ?? '') ?? [];
  // A path with slashes at both ends is not always an expression: /rest/v1/ is a prefix.
  const isExpression = expression !== undefined && /[\\^$*+?()[\]{}|]/.test(expression);
  if (isExpression) return { ...rule, path: new RegExp(expression) };
  return path === undefined || path === '' ? rule : { ...rule, path };
}
