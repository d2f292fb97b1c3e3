import type { FetchFunction } from '../http/in-process.ts';

const localHosts: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * How the auth service reaches the endpoints of hooks: functions of the project in process, because it may have no port,
 * and others by the network.
 *
 * @param projectUrl the project's URL; one that is not of this machine stands for a project without a port, which
 * takes the functions of every port.
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
