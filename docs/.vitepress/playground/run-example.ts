/** The modules that an example can import, by their names in a project. */
const modules: Readonly<Record<string, () => Promise<object>>> = {
  'supabase-protocol-clients': () => import('supabase-protocol-clients'),
  'supabase-protocol-clients/admin': () => import('supabase-protocol-clients/admin'),
  'supabase-protocol-clients/auth-client': () => import('supabase-protocol-clients/auth-client'),
  'supabase-protocol-clients/auth-client/mfa': () => import('supabase-protocol-clients/auth-client/mfa'),
  'supabase-protocol-clients/rest-client': () => import('supabase-protocol-clients/rest-client'),
  'supabase-protocol-clients/realtime-client/broadcast': () =>
    import('supabase-protocol-clients/realtime-client/broadcast'),
  'supabase-protocol-clients/realtime-client/live-query': () =>
    import('supabase-protocol-clients/realtime-client/live-query'),
  'supabase-protocol-clients/realtime-client/postgres-changes': () =>
    import('supabase-protocol-clients/realtime-client/postgres-changes'),
  'supabase-protocol-clients/realtime-client/presence': () =>
    import('supabase-protocol-clients/realtime-client/presence'),
  'supabase-protocol-clients/storage-client': () => import('supabase-protocol-clients/storage-client'),
};

export interface ExampleSurroundings {
  readonly url: string;
  readonly apiKey: string;
  readonly secretKey: string;
  readonly print: (...values: readonly unknown[]) => void;
}

const scope = '__playground';
const importLine = /^import\s*\{([^}]*)\}\s*from\s*['"]([^'"]+)['"];?/gm;

/**
 * Runs an example as a module.
 *
 * @throws {Error} for an import that the playground lacks, and errors of the example.
 */
export async function runExample(code: string, surroundings: ExampleSurroundings): Promise<void> {
  const imported: Record<string, object> = {};
  for (const [, , name = ''] of code.matchAll(importLine)) {
    const load = modules[name];
    if (!load)
      throw new Error(`There is no module ${name} here. There are: ${Object.keys(modules).join(', ')}`);
    imported[name] = await load();
  }
  const body = code.replaceAll(
    importLine,
    (_line, names: string, name: string) =>
      `const {${names.replaceAll(/\sas\s/g, ': ')}} = ${scope}.imported[${JSON.stringify(name)}];`,
  );
  const { print } = surroundings;
  Object.assign(globalThis, {
    [scope]: { ...surroundings, imported, console: { ...console, log: print, warn: print, error: print } },
  });
  // Keep the prefix on one line, so that line numbers in errors match the editor.
  const text = `const { ${scope} } = globalThis; const { url, apiKey, secretKey, console } = ${scope}; ${body}\nexport {};`;
  const address = URL.createObjectURL(new Blob([text], { type: 'text/javascript' }));
  try {
    await import(/* @vite-ignore */ address);
  } finally {
    URL.revokeObjectURL(address);
  }
}
