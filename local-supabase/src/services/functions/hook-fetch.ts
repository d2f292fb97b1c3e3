import type { FetchFunction } from '../../http/in-process.ts';

const localHosts: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * The auth service's connection to the endpoints of hooks. Functions of the project are called in process, because no
 * port may listen; others over the network.
 *
 * @param projectUrl the project's URL; any other host than this machine's means that the project has no port, and
 * function URLs with any port are the project's.
 */
export function createHookFetch(
  projectUrl: () => string,
  inProcess: FetchFunction,
): (request: Request) => Promise<Response> {
  return async (request) => {
    const project = new URL(projectUrl());
    const { hostname, port, pathname, search } = new URL(request.url);
    const isFunction = localHosts.has(hostname) && pathname.startsWith('/functions/v1/');
    const isOwn = isFunction && (port === project.port || !localHosts.has(project.hostname));
    return isOwn ? inProcess(new Request(`${project.origin}${pathname}${search}`, request)) : fetch(request);
  };
}
