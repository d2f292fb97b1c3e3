/** The runtime's XMLHttpRequest; undefined in Node and service workers. Apart from the platform, since only uploads use it. */
export const createRuntimeXhr: (() => XMLHttpRequest) | undefined =
  typeof XMLHttpRequest === 'undefined' ? undefined : () => new XMLHttpRequest();
