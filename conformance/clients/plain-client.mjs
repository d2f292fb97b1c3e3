/**
 * An example of a client with `fetch` alone: signs in, refreshes, reads and writes rows, and exchanges JSON lines.
 * `--client "node conformance/clients/plain-client.mjs"`. A client in any other language responds to the same lines.
 */
import { createInterface } from 'node:readline';

let project = { url: '', anonKey: '' };
let session = null;
let refreshing = null;

async function request(path, { method = 'GET', body, token, headers = {} } = {}) {
  const response = await fetch(project.url + path, {
    method,
    headers: {
      apikey: project.anonKey,
      ...(token ? { Authorization: `Bearer ${token}` } : {}),
      ...(body ? { 'Content-Type': 'application/json' } : {}),
      'X-Client-Info': 'plain-client/1.0',
      'X-Supabase-Api-Version': '2024-01-01',
      ...headers,
    },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  const text = await response.text();
  const json = text ? JSON.parse(text) : null;
  if (response.ok) return json;
  throw Object.assign(new Error(json?.message ?? `HTTP ${response.status}`), { code: json?.code ?? null });
}

async function grant(type, body) {
  session = await request(`/auth/v1/token?grant_type=${type}`, { method: 'POST', body });
}

async function accessToken() {
  if (!session) return null;
  if (session.expires_at * 1000 - Date.now() < 0) {
    refreshing ??= grant('refresh_token', { refresh_token: session.refresh_token }).finally(
      () => (refreshing = null),
    );
    await refreshing;
  }
  return session.access_token;
}

const queryOf = (filters) =>
  new URLSearchParams(
    filters.map(([column, operator, value]) => [
      column,
      operator === 'in' ? `in.(${value.map((item) => JSON.stringify(item)).join()})` : `eq.${value}`,
    ]),
  );

const commands = {
  open: (given) => void (project = given),
  signIn: (credentials) => grant('password', credentials),
  getAccessToken: accessToken,
  async signOut({ scope }) {
    const token = session?.access_token;
    if (scope !== 'others') session = null;
    await request(`/auth/v1/logout?scope=${scope}`, { method: 'POST', token });
  },
  select: async ({ table, filters, isSingle }) =>
    request(`/rest/v1/${table}?select=*&${queryOf(filters)}`, {
      token: await accessToken(),
      headers: isSingle ? { Accept: 'application/vnd.pgrst.object+json' } : {},
    }),
  insert: async ({ table, rows }) =>
    request(`/rest/v1/${table}`, {
      method: 'POST',
      token: await accessToken(),
      body: rows,
      headers: { Prefer: 'return=minimal' },
    }),
  update: async ({ table, filters, values }) =>
    request(`/rest/v1/${table}?${queryOf(filters)}`, {
      method: 'PATCH',
      token: await accessToken(),
      body: values,
    }),
};

for await (const line of createInterface({ input: process.stdin })) void respond(line);

/** Commands may overlap: a slow one must not delay the next. */
async function respond(line) {
  const { id, command, args } = JSON.parse(line);
  const write = (outcome) => process.stdout.write(`${JSON.stringify({ id, ...outcome })}\n`);
  if (!commands[command]) return write({ unsupported: true });
  try {
    write({ ok: (await commands[command](args)) ?? null });
  } catch (problem) {
    write({ error: { code: problem.code ?? null, message: problem.message } });
  }
}
