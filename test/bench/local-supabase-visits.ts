import { WebSocket } from 'ws';
import type { LocalSupabase } from 'local-supabase';
import { requestApi, signIn, type ApiRequest } from '../support/local-supabase.ts';

/** An account and the sender of its notifications. */
export interface Visitor {
  readonly id: string;
  readonly email: string;
  readonly password: string;
  readonly senderEmail: string;
}

const ROUNDS = 2;
/** A challenge of PKCE: SHA-256 of anything, as base64url. */
const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';

/**
 * What a person does in the application from sign-in to sign-out; a forgotten password now and then.
 *
 * @returns the number of requests that it took.
 * @throws {Error} if the server refuses one.
 */
export async function spendVisit(supabase: LocalSupabase, visitor: Visitor): Promise<number> {
  let requests = 0;
  const send = async (path: string, request: ApiRequest = {}): Promise<unknown> => {
    requests += 1;
    const response = await requestApi(supabase, path, request);
    const text = await response.text();
    if (!response.ok) throw new Error(`${request.method ?? 'GET'} ${path}: ${response.status} ${text}`);
    return text === '' ? null : (JSON.parse(text) as unknown);
  };
  const grant = (type: string, body: object) =>
    send(`/auth/v1/token?grant_type=${type}`, { method: 'POST', body }) as Promise<Session>;

  const { email, password } = visitor;
  let { access_token: token, refresh_token } = await grant('password', { email, password });
  const list = `/rest/v1/notifications?recipient_id=eq.${visitor.id}&order=created_at.desc`;
  for (let round = 0; round < ROUNDS; round += 1) {
    await send('/auth/v1/user', { token });
    await send(`${list}&limit=50`, { token });
    await send(`${list}&status=eq.unread&select=id`, { token });
    const body = { recipient_id: visitor.id, content: '{"type":"comment","entity_id":"soak"}' };
    await send('/rest/v1/notifications', {
      method: 'POST',
      token,
      body,
      headers: { prefer: 'return=minimal' },
    });
    const read = { status: 'read' };
    await send(list.replace('&order=created_at.desc', ''), { method: 'PATCH', token, body: read });
    await send(`/rest/v1/notification_preferences?user_id=eq.${visitor.id}`, { token });
    ({ access_token: token, refresh_token } = await grant('refresh_token', { refresh_token }));
  }
  await send('/auth/v1/recover', {
    method: 'POST',
    body: { email, code_challenge: CHALLENGE, code_challenge_method: 's256' },
  });
  await send(list.replace('&order=created_at.desc', ''), { method: 'DELETE', token });
  await send('/auth/v1/logout?scope=local', { method: 'POST', token });
  return requests;
}

interface Session {
  readonly access_token: string;
  readonly refresh_token: string;
}

const tokens = new Map<string, string>();

/** Connects, joins, receives one change, leaves and disconnects. Returns 1: the number of sessions. */
export async function spendSession(supabase: LocalSupabase, visitor: Visitor): Promise<number> {
  const token = await tokenOf(supabase, visitor.email);
  const frames = await connect(supabase);
  const filter = `recipient_id=eq.${visitor.id}`;
  const changes = [{ event: '*', schema: 'public', table: 'notifications', filter }];
  frames.send('1', 'phx_join', { config: { postgres_changes: changes }, access_token: token });
  await frames.next('system');
  const sender = await tokenOf(supabase, visitor.senderEmail);
  await requestApi(supabase, '/rest/v1/notifications', {
    method: 'POST',
    token: sender,
    body: { recipient_id: visitor.id, content: '{"type":"comment"}' },
    headers: { prefer: 'return=minimal' },
  });
  await frames.next('postgres_changes');
  frames.send('2', 'phx_leave', {});
  await frames.next('phx_close');
  await frames.close();
  const mine = `/rest/v1/notifications?${filter}`;
  await requestApi(supabase, mine, { method: 'DELETE', token });
  return 1;
}

async function tokenOf(supabase: LocalSupabase, email: string): Promise<string> {
  const known = tokens.get(email);
  if (known !== undefined) return known;
  const token = await signIn(supabase, email);
  tokens.set(email, token);
  return token;
}

async function connect({ url, anonKey }: LocalSupabase) {
  const socket = new WebSocket(
    `${url.replace('http', 'ws')}/realtime/v1/websocket?apikey=${anonKey}&vsn=2.0.0`,
  );
  const closed = new Promise<void>((resolve) => {
    socket.once('close', () => resolve());
  });
  const received: string[] = [];
  let look: () => void = () => {};
  socket.on('message', (data) => {
    const [, , , event] = JSON.parse((data as Buffer).toString()) as string[];
    received.push(event ?? '');
    look();
  });
  await new Promise<void>((resolve, reject) => {
    socket.once('open', () => resolve());
    socket.once('error', reject);
  });
  return {
    send: (ref: string, event: string, payload: object) =>
      socket.send(JSON.stringify(['1', ref, 'realtime:soak', event, payload])),
    next: (event: string) =>
      new Promise<void>((resolve, reject) => {
        const timer = setTimeout(
          () => reject(new Error(`${event} did not come: ${received.join()}`)),
          30_000,
        );
        look = () => {
          if (!received.includes(event)) return;
          clearTimeout(timer);
          resolve();
        };
        look();
      }),
    async close() {
      socket.close();
      await closed;
    },
  };
}
