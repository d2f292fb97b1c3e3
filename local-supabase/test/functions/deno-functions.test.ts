import { describe, expect, it } from 'vitest';
import { useFunctionProject } from './function-project.ts';

const project = useFunctionProject({
  'functions/_shared/greeting.ts': 'export const greeting: string = "hello";',
  'functions/hello/deno.json': '{ "imports": { "@shared/": "../_shared/" } }',
  'functions/hello/index.ts': `
    import 'jsr:@supabase/functions-js/edge-runtime.d.ts';
    import { serve } from 'https://deno.land/std@0.168.0/http/server.ts';
    import { greeting } from '@shared/greeting.ts';
    console.log('loaded');
    serve(async (request: Request) => {
      const { env } = Deno;
      const rows = await fetch(env.get('SUPABASE_URL') + '/rest/v1/', { headers: { apikey: env.get('SUPABASE_ANON_KEY') } });
      return Response.json({ greeting, body: await request.text(), path: new URL(request.url).pathname,
        secret: env.get('SECRET'), ownUrl: env.get('SUPABASE_DB_URL'), api: rows.status,
        headers: [...request.headers.keys()] });
    });`,
  'functions/broken/index.ts': "import { x } from './missing.ts';\nDeno.serve(() => new Response(x));",
  'functions/.env': 'SECRET=of the file\nSUPABASE_DB_URL=not taken\n',
});

describe('a function of the folder', () => {
  it('runs in Deno with its import map, its variables, and access to a project without a port', async () => {
    const response = await project().call('hello/a?b=1', {
      method: 'POST',
      body: 'text',
      headers: { authorization: `Bearer ${project().supabase.anonKey}` },
    });
    const body = (await response.json()) as Record<string, unknown>;
    expect(body).toMatchObject({
      greeting: 'hello',
      body: 'text',
      path: '/hello/a',
      secret: 'of the file',
      api: 200,
    });
    expect(body['ownUrl']).toMatch(/^postgresql:/);
    expect(body['headers']).not.toContain('x-local-supabase-secret');
    expect(project().output).toContain('hello: loaded');
  });

  it('restarts after a change of an imported file', async () => {
    await project().write('functions/_shared/greeting.ts', 'export const greeting: string = "good day";');
    const response = await project().call('hello');
    expect(await response.json()).toMatchObject({ greeting: 'good day' });
  });

  it('reports in its response and its log why it does not start', async () => {
    const response = await project().call('broken');
    expect(response.status).toBe(503);
    const { code, message } = (await response.json()) as { code: string; message: string };
    expect(code).toBe('BOOT_ERROR');
    expect(message).toMatch(
      /^Worker failed to boot \(please check logs\): Module not found "file:.*missing\.ts"/,
    );
    expect(project().output.join('\n')).toMatch(/broken: Module not found/);
  });
});
