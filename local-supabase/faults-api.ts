import { Hono } from 'hono';
import type { FaultRule } from './fault-rule.ts';
import type { Faults } from './faults.ts';

/** A rule as JSON; `path` is a prefix, or an expression between slashes. */
type WireRule = Omit<FaultRule, 'path'> & { readonly path?: string };

/**
 * The faults over HTTP, for a person's page and for tests in another process. Commands are JSON, so that no page of
 * another origin can send one.
 */
export function createFaultsApi(faults: Faults): Hono {
  const app = new Hono();
  const command = (name: string, run: (body: Record<string, unknown>) => Promise<void> | void) =>
    app.post(`/${name}`, async (c) => {
      if (!c.req.header('content-type')?.startsWith('application/json'))
        return c.text('JSON is expected', 415);
      await run((await c.req.json().catch(() => ({}))) as Record<string, unknown>);
      return c.body(null, 204);
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
  return app;
}

function encodeRule({ path, ...rule }: FaultRule): WireRule {
  return path === undefined ? rule : { ...rule, path: String(path) };
}

function parseRule({ path, ...rule }: WireRule): FaultRule {
  const [, expression] = /^\/(.+)\/$/.exec(path ?? '') ?? [];
  // A route such as /rest/v1/ is a prefix all the same.
  const isExpression = expression !== undefined && /[\\^$*+?()[\]{}|]/.test(expression);
  if (isExpression) return { ...rule, path: new RegExp(expression) };
  return path === undefined || path === '' ? rule : { ...rule, path };
}
