import { builtinEnvironments, type Environment } from 'vitest/runtime';
import { cacheComputedStyles } from './computed-styles.ts';

/** Globals for which the embedded Supabase and `fetch` in the same process need Node's versions. */
const nodeOwn = [
  'Uint8Array',
  'ArrayBuffer',
  'AbortController',
  'AbortSignal',
  'Blob',
  'File',
  'TextDecoder',
  'TextEncoder',
  'URL',
  'URLSearchParams',
  'crypto',
] as const;

/**
 * A page for component tests, with modules resolved as for Node: the embedded Supabase runs in the same process and
 * reads its own files.
 */
const environment: Environment = {
  ...builtinEnvironments.jsdom,
  viteEnvironment: 'ssr',
  async setup(global: Record<string, unknown>, options) {
    const kept = nodeOwn.map((name) => [name, global[name]] as const);
    const page = await builtinEnvironments.jsdom.setup(global, options);
    for (const [name, value] of kept)
      Object.defineProperty(global, name, { value, configurable: true, writable: true });
    // React attaches a task for DevTools to each element that it creates, and no DevTools is here.
    Reflect.deleteProperty(console, 'createTask');
    cacheComputedStyles(global['document'] as Document);
    return page;
  },
};

export default environment;
