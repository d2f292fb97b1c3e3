import { describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { useFunctionProject } from './function-project.ts';

const project = useFunctionProject(
  {
    'config.toml': `
      [functions.socket]
      verify_jwt = false
      [functions.off]
      enabled = false
      [functions.elsewhere]
      entrypoint = "./functions/other/main.ts"
      import_map = "./functions/other/map.json"
      [edge_runtime.secrets]
      FROM_CONFIG = "of the config"`,
    'functions/stream/index.ts': `
      export default { fetch: () => {
        let count = 0;
        return new Response(new ReadableStream({ async pull(controller) {
          controller.enqueue(new TextEncoder().encode('part ' + count));
          if (count++ === 2) controller.close();
          await new Promise((resolve) => setTimeout(resolve, 50));
        } }));
      } };`,
    'functions/socket/index.ts': `
      Deno.serve((request: Request) => {
        const { socket, response } = Deno.upgradeWebSocket(request);
        socket.onmessage = ({ data }) => socket.send('echo ' + data);
        return response;
      });`,
    'functions/later/index.ts': `
      addEventListener('beforeunload', (event) => console.log('unload: ' + event.detail.reason));
      Deno.serve(() => {
        EdgeRuntime.waitUntil(new Promise((resolve) => setTimeout(resolve, 200)).then(() => console.log('done later')));
        return new Response('soon');
      });`,
    'functions/hungry/index.ts':
      'Deno.serve(() => { const all = []; for (;;) all.push(new Array(1e5).fill(Math.random())); });',
    'functions/thrower/index.ts': "Deno.serve(() => { throw new Error('on purpose'); });",
    'functions/quitter/index.ts':
      "Deno.serve(() => { setTimeout(() => { throw new Error('too late'); }); return new Promise(() => {}); });",
    'functions/silent/index.ts': 'export const nothing = 1;',
    'functions/main/index.ts': "if (import.meta.main) Deno.serve(() => new Response('main'));",
    'functions/idle/index.ts': 'if (!import.meta.main) Deno.serve(() => new Response());',
    'functions/off/index.ts': "Deno.serve(() => new Response('x'));",
    'functions/other/map.json': '{ "imports": { "who": "./who.ts" } }',
    'functions/other/who.ts': "export default 'elsewhere';",
    'functions/other/main.ts':
      "import who from 'who'; Deno.serve(() => new Response(who + ' ' + Deno.env.get('FROM_CONFIG')));",
    'functions/npm/index.ts':
      "import { z } from 'https://esm.sh/zod@4.1.5'; Deno.serve(() => new Response(z.string().parse('from npm')));",
  },
  { port: 0 },
);
const failureOf = async (name: string) => {
  const response = await project().call(name);
  return { status: response.status, text: await response.text() };
};

describe('a function in Deno', () => {
  it('streams its response', async () => {
    const { url, anonKey } = project().supabase;
    const response = await fetch(`${url}/functions/v1/stream`, {
      headers: { authorization: `Bearer ${anonKey}` },
    });
    const parts: string[] = [];
    for await (const part of response.body ?? []) parts.push(new TextDecoder().decode(part));
    // A busy machine reads two parts at once.
    expect(parts.join('')).toBe('part 0part 1part 2');
    expect(parts.length).toBeGreaterThan(1);
  });

  it('opens WebSockets, with a token if it requires one', async () => {
    const address = project().supabase.url.replace('http', 'ws');
    const socket = new WebSocket(`${address}/functions/v1/socket/room`);
    socket.once('open', () => socket.send('hi'));
    const received = await new Promise((resolve, reject) => {
      socket.once('message', (data: Buffer) => resolve(data.toString()));
      socket.once('error', reject);
    });
    expect(received).toBe('echo hi');
    socket.close();
    const refused = new WebSocket(`${address}/functions/v1/stream`);
    await expect(new Promise((_, reject) => refused.once('error', reject))).rejects.toThrow('401');
  });

  it('continues its tasks after the response', async () => {
    expect(await failureOf('later')).toEqual({ status: 200, text: 'soon' });
    await expect.poll(() => project().output).toContain('later: done later');
  });

  it('uses the module, the import map and the secrets of config.toml, and can be disabled', async () => {
    expect((await failureOf('elsewhere')).text).toBe('elsewhere of the config');
    expect((await failureOf('off')).status).toBe(404);
  });

  it('is the main module if it reads import.meta.main', async () => {
    expect(await failureOf('main')).toEqual({ status: 200, text: 'main' });
    const { status, text } = await failureOf('idle');
    expect(status).toBe(503);
    expect(text).toContain('ended without a call of Deno.serve()');
  });

  it('loads packages of esm.sh from npm', async () => {
    expect((await failureOf('npm')).text).toBe('from npm');
  });

  it("responds as the vendor's runtime when it fails, with the reason", async () => {
    expect(await failureOf('thrower')).toEqual({ status: 500, text: 'Internal Server Error' });
    expect(project().output.join('\n')).toContain('thrower: Error: on purpose');
    const hungry = await failureOf('hungry');
    expect(hungry.status).toBe(546);
    expect(hungry.text).toContain('needed more than 256 MiB');
    const quitter = await failureOf('quitter');
    expect(quitter.status).toBe(500);
    expect(quitter.text).toContain('Error: too late');
    const silent = await failureOf('silent');
    expect(silent.status).toBe(503);
    expect(silent.text).toContain('neither calls Deno.serve()');
  });

  it('accepts other variables and requests without tokens on command', async () => {
    await project().write('other.env', 'FROM_CONFIG=of the command');
    project().supabase.serveFunctions({
      envFile: `${project().folder}/supabase/other.env`,
      verifyJwt: false,
    });
    const response = await project().call('elsewhere', { headers: {} });
    expect(await response.text()).toBe('elsewhere of the command');
    project().supabase.serveFunctions({});
    expect((await project().call('elsewhere', { headers: {} })).status).toBe(401);
  });
});
