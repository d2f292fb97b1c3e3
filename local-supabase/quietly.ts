import { AsyncLocalStorage } from 'node:async_hooks';

const isQuiet = new AsyncLocalStorage<true>();
let isInstalled = false;

/**
 * Runs a task of the vendor's code without its writing of every refused statement to the console: the client gets
 * the error, which is where it belongs.
 */
export function quietly<T>(task: () => Promise<T>): Promise<T> {
  if (!isInstalled) {
    const write = console.error;
    isInstalled = true;
    console.error = (...data: unknown[]) => {
      if (!isQuiet.getStore()) write(...data);
    };
  }
  return isQuiet.run(true, task);
}
