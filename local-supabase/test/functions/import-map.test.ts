import { describe, expect, it } from 'vitest';
import { mergeImportMap, parseJsonc } from '../../src/services/functions/deno/import-map.ts';

const file = new URL('file:///shop/supabase/functions/hello/deno.json');
const merged = (imports: Record<string, string>, addresses: readonly string[] = []) =>
  mergeImportMap([{ file, map: { imports } }], addresses).imports;

describe('the import map of a function', () => {
  it.each([
    ['https://esm.sh/@supabase/supabase-js@2.7.1', 'npm:@supabase/supabase-js@2.7.1'],
    ['https://esm.sh/stripe@12.5.0?target=deno', 'npm:stripe@12.5.0'],
    ['https://esm.sh/v135/react@18.2.0/jsx-runtime', 'npm:react@18.2.0/jsx-runtime'],
    ['https://esm.sh/*openai@4', 'npm:openai@4'],
    ['jsr:@supabase/supabase-js@2', 'npm:@supabase/supabase-js@2'],
  ])('loads %s from npm', (address, target) => {
    expect(merged({}, [address])).toEqual({ [address]: target });
    expect(merged({ x: address })).toMatchObject({ x: target });
  });

  it.each(['https://esm.sh/gh/owner/repo@1', 'https://deno.land/x/oak@v12/mod.ts', 'jsr:@std/assert@1'])(
    'does not rewrite the specifier %s',
    (address) => {
      expect(merged({}, [address])).toEqual({});
    },
  );

  it('replaces the HTTP server that calls functions which Deno 2 lacks', () => {
    const address = 'https://deno.land/std@0.168.0/http/server.ts';
    expect(merged({}, [address])?.[address]).toMatch(/^file:.*std-http-server\.[jt]s$/);
  });

  it('resolves relative URLs against their file', () => {
    expect(merged({ '@shared/': '../_shared/', './x.ts': './y.ts' })).toEqual({
      '@shared/': 'file:///shop/supabase/functions/_shared/',
      'file:///shop/supabase/functions/hello/x.ts': 'file:///shop/supabase/functions/hello/y.ts',
    });
  });

  it("maps a package's subpaths with its name, unless they are mapped themselves", () => {
    expect(merged({ zod: 'npm:zod@4', hono: 'npm:hono@4', 'hono/': 'npm:/hono@3/' })).toEqual({
      zod: 'npm:zod@4',
      'zod/': 'npm:/zod@4/',
      hono: 'npm:hono@4',
      'hono/': 'npm:/hono@3/',
    });
  });

  it('reads JSON with comments and trailing commas', () => {
    expect(parseJsonc('{ // a\n "a": "b // c, }", /* d */ "e": [1, 2,],\n}')).toEqual({
      a: 'b // c, }',
      e: [1, 2],
    });
  });
});
