/** An API of Hono: rows for the sender of a request, and accounts with the secret key. */
import { Hono } from 'hono';
import { createAdminClient } from 'supabase-protocol-clients/admin';
import { AuthError } from 'supabase-protocol-clients/auth-client';
import { createRequestCookies, createServerClients, verifyRequest } from 'supabase-protocol-clients/server';
import type { Database } from './database.ts';

const project = { url: 'https://p.example', apiKey: 'key' };
const admin = createAdminClient({ url: project.url, secretKey: 'sb_secret_key' });

export const app = new Hono()
  .get('/todos', async (context) => {
    const headers = new Headers();
    const cookies = createRequestCookies(context.req.raw, headers);
    const { rest } = createServerClients<Database>({ ...project, cookies });
    const rows = await rest.from('todos').select('id, title, due').order('due').limit(20);
    headers.forEach((value, name) => context.res.headers.append(name, value));
    return context.json(rows satisfies readonly { id: number; title: string; due: string | null }[]);
  })
  .get('/me', async (context) => {
    try {
      const { caller } = await verifyRequest(context.req.raw, { ...project, allow: ['user'] });
      return context.json({ caller });
    } catch (problem) {
      if (problem instanceof AuthError) return context.json({ code: problem.code }, 401);
      throw problem;
    }
  })
  .delete('/accounts/:id', async (context) => {
    await admin.deleteUser({ userId: context.req.param('id') });
    return context.body(null, 204);
  });
