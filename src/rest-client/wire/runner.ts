import { serviceUrl } from '../../platform/service.ts';
import { mergeHeaders } from '../../platform/service-http.ts';
import { RestError } from '../errors.ts';
import { encodeRequest, type Plan, readsRows, type RestRequest, type Wire } from '../query/plan.ts';
import type { ExecuteOptions } from '../query/query.ts';
import { type Answer, parseContentRange, readCount } from '../query/answer.ts';
import { createExchange, type Exchange, type ExchangeOptions } from './exchange.ts';

/** How plans become requests, and answers become results. */
export interface RunnerOptions extends ExchangeOptions {
  /** The project's URL, without `/rest/v1`. */
  readonly url: string;
  /** How many rows the server sends at most, by which `truncated` is judged. Default 1000, as Supabase has it. */
  readonly maxRows?: number;
  /** Longest URL to send, in characters. Default 8000, which common gateways accept. */
  readonly maxUrlLength?: number;
}

/** Executes the plans of one client. The first request creates its exchange. */
export class Runner {
  readonly #options: RunnerOptions;
  #exchange: Exchange | undefined;
  #base: string | undefined;

  constructor(options: RunnerOptions) {
    this.#options = options;
  }

  /** @throws {RestError} `invalid-query` or `url-too-long`. */
  encode(plan: Plan): RestRequest {
    const { url, maxUrlLength = 8000 } = this.#options;
    const request = encodeRequest(plan, (this.#base ??= serviceUrl(url, 'rest')));
    if (request.url.length <= maxUrlLength) return request;
    throw new RestError('url-too-long', `URL longer than ${maxUrlLength}: see inChunks()`);
  }

  async run(query: Plan, options: ExecuteOptions = {}): Promise<Answer<unknown>> {
    const exchange = (this.#exchange ??= createExchange(this.#options));
    const plan = options.headers
      ? { ...query, headers: mergeHeaders(query.headers, options.headers) }
      : query;
    const request = this.encode(plan);
    await plan.precondition?.(plan, (proof) => exchange(this.encode(proof), options));
    const sent = exchange(request, options);
    const wire = await (plan.onFailure ? sent.catch(plan.onFailure) : sent);
    const { status, headers } = wire;
    const rows = await readAnswer(plan, wire);
    const { rows: received, total: count } = parseContentRange(headers);
    const truncated = readsRows(plan) && this.#isTruncated(plan, received, count);
    const data = plan.isCounted ? { rows, count: readCount(wire), truncated } : rows;
    return { data, count, truncated, status, headers };
  }

  #isTruncated(
    { limit = Infinity, offset = 0, prefer }: Plan,
    received: number | null,
    count: number | null,
  ): boolean {
    const { maxRows = 1000 } = this.#options;
    // A count that is not exact is an estimate.
    if (count === null || prefer['count'] !== 'exact') return received === maxRows && limit > maxRows;
    return Number(received) < Math.min(count - offset, limit);
  }
}

async function readAnswer(plan: Plan, wire: Wire): Promise<unknown> {
  try {
    const rows = await plan.read(wire, plan);
    plan.verify?.(rows, wire);
    return rows;
  } catch (cause) {
    const error =
      cause instanceof RestError
        ? cause
        : new RestError('invalid-row', 'The answer is unreadable', { cause });
    throw error.withStatus(wire.status);
  }
}
