import type { FetchFunction } from '../../../src/platform/platform.ts';

type Matches = (request: Request) => boolean;

export interface BreakableFetch {
  readonly fetch: FetchFunction;
  /** Responds to matching requests by `reply`. Default: they fail, as without a network. */
  break(matches: Matches, reply?: () => Response): void;
  /** Lets all requests reach the server again. */
  mend(): void;
}

/** Reaches a real server, except where a test breaks it. */
export function createBreakableFetch(server: () => { readonly fetch: FetchFunction }): BreakableFetch {
  let fault: { readonly matches: Matches; readonly reply: () => Response } | null = null;
  return {
    async fetch(input, init) {
      const request = new Request(input, init);
      return fault?.matches(request) ? fault.reply() : server().fetch(request);
    },
    break: (matches, reply = failNetwork) => void (fault = { matches, reply }),
    mend: () => void (fault = null),
  };
}

/** Matches requests by a part of their URL. */
export const to =
  (part: string): Matches =>
  ({ url }) =>
    url.includes(part);

function failNetwork(): never {
  throw new TypeError('Failed to fetch');
}
