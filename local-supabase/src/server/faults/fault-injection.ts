import { ConnectionLost } from '../../http/in-process.ts';
import type { FaultResponse, FaultRule } from './fault-rule.ts';

/** The part of the faults that every request passes. */
export interface FaultInjection {
  add(rule: FaultRule): () => void;
  list(): readonly FaultRule[];
  removeAll(): void;
  /** @throws {ConnectionLost} */
  pass(request: Request, handle: () => Promise<Response>): Promise<Response>;
}

interface ActiveRule {
  readonly rule: FaultRule;
  skipped: number;
  applied: number;
}

export function createFaultInjection(random: () => number = Math.random): FaultInjection {
  const active = new Set<ActiveRule>();
  const takeRule = (request: Request): FaultRule | undefined => {
    for (const entry of active) {
      if (!isMatch(entry.rule, request)) continue;
      const { after = 0, probability = 1, times = Infinity } = entry.rule;
      if (entry.skipped < after) {
        entry.skipped += 1;
        continue;
      }
      if (random() >= probability) continue;
      entry.applied += 1;
      if (entry.applied >= times) active.delete(entry);
      return entry.rule;
    }
    return undefined;
  };
  return {
    add(rule) {
      const entry = { rule, skipped: 0, applied: 0 };
      active.add(entry);
      return () => void active.delete(entry);
    },
    list: () => [...active].map(({ rule }) => rule),
    removeAll: () => active.clear(),
    async pass(request, handle) {
      const rule = takeRule(request);
      if (!rule) return handle();
      if (rule.latencyMs) await new Promise((resolve) => setTimeout(resolve, rule.latencyMs));
      if (rule.lose === 'request') throw new ConnectionLost();
      const response = rule.response ? responseOf(rule.response) : await handle();
      if (rule.lose === 'response') throw new ConnectionLost();
      return response;
    },
  };
}

function isMatch({ method, path }: FaultRule, request: Request): boolean {
  if (method ? request.method !== method.toUpperCase() : request.method === 'OPTIONS') return false;
  if (path === undefined) return true;
  const { pathname, search } = new URL(request.url);
  return typeof path === 'string' ? pathname.startsWith(path) : path.test(pathname + search);
}

function responseOf({ status, headers = {}, body = '' }: FaultResponse): Response {
  const isText = typeof body === 'string';
  const type = isText ? 'text/html; charset=utf-8' : 'application/json';
  const isEmpty = status === 204 || status === 304;
  return new Response(isEmpty ? null : isText ? body : JSON.stringify(body), {
    status,
    // Without this header, a page of another origin could not read the response and would report a network error.
    headers: { 'content-type': type, 'access-control-allow-origin': '*', ...headers },
  });
}
