import { CallUser } from '../../platform/call-user.ts';
import { serviceUrl } from '../../platform/service.ts';
import { mergeHeaders } from '../../platform/service-http.ts';
import { RestError } from '../errors.ts';
import { encodeRequest, type Plan, readsRows, type RestRequest } from '../query/plan.ts';
import type { ExecuteOptions } from '../query/query.ts';
import { type QueryResponse, parseContentRange, readCount, verifyOrigin } from '../query/response.ts';
import { Exchange, type ExchangeOptions } from './exchange.ts';

/** Options for sending plans as requests and reading their results. */
export interface RunnerOptions extends ExchangeOptions {
  /** The project's URL, without `/rest/v1`. */
  readonly url: string;
  /** Maximum number of rows that the server sends, which determines `truncated`. Default 1000, the setting of Supabase. */
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

  async run(query: Plan, options: ExecuteOptions = {}): Promise<QueryResponse<unknown>> {
    const exchange = (this.#exchange ??= new Exchange(this.#options));
    const plan = options.headers
      ? { ...query, headers: mergeHeaders(query.headers, options.headers) }
      : query;
    const request = this.encode(plan);
    const { user = plan.precondition && new CallUser() } = options;
    const sendOptions = { ...options, user };
    await plan.precondition?.(plan, (proof) => exchange.send(this.encode(proof), sendOptions));
    const sent = exchange.send(request, sendOptions);
    const wire = await (plan.onFailure ? sent.catch(plan.onFailure) : sent);
    const { status, headers } = wire;
    let data: unknown;
    try {
      verifyOrigin(wire, plan);
      data = await plan.read(wire, plan);
      plan.verify?.(data, wire);
    } catch (cause) {
      throw unreadable(cause).withStatus(status);
    }
    const { rows, total: count } = parseContentRange(headers);
    const truncated = readsRows(plan) && this.#isTruncated(plan, rows, count);
    if (plan.isCounted) data = { rows: data, count: readCount(wire), truncated };
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

const unreadable = (cause: unknown): RestError =>
  cause instanceof RestError ? cause : new RestError('invalid-row', 'The response is unreadable', { cause });
