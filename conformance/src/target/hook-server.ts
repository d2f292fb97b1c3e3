import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parseJson } from './wire.ts';

/** The secrets with which the auth service signs calls of its hooks, in its notation. */
export const hookSecrets = [
  `v1,whsec_${Buffer.from('the first secret of the conformance audits').toString('base64')}`,
  `v1,whsec_${Buffer.from('the next secret of the conformance audits').toString('base64')}`,
] as const;

/** The hooks that the server receives, as in the path of their URL. */
export const hookNames = [
  'custom_access_token',
  'mfa_verification_attempt',
  'password_verification_attempt',
  'send_email',
  'send_sms',
] as const;
export type HookName = (typeof hookNames)[number];

/** The SQL of the hook `before_user_created`, which is a function of the database. */
export const readHookSql = (): Promise<string> =>
  readFile(new URL('../../schema/hooks.sql', import.meta.url), 'utf8');

export interface HookCall {
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly json: unknown;
}

export interface HookResponse {
  /** Default 200. */
  readonly status?: number;
  /** Default: JSON. */
  readonly headers?: Readonly<Record<string, string>>;
  /** A value that is not a text is encoded as JSON. */
  readonly body?: unknown;
  /** Ends the connection without a response. */
  readonly isLost?: boolean;
  /** Never responds. */
  readonly isEndless?: boolean;
}

/** Receives the calls of the auth service's hooks. */
export interface HookServer {
  /** The calls of a hook whose payload contains the text, oldest first. */
  calls(hook: HookName, text: string): readonly HookCall[];
  /** Responds to calls whose payload contains the text; the last response repeats. Default: nothing is changed or refused. */
  respond(hook: HookName, text: string, ...responses: readonly HookResponse[]): void;
  readonly port: number;
  close(): Promise<void>;
}

/** The signatures that a call must have, in the order of the secrets (Standard Webhooks). */
export function signaturesOf({ headers, text }: HookCall): readonly string[] {
  const signed = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${text}`;
  return hookSecrets.map((secret) => {
    const key = Buffer.from(secret.replace('v1,whsec_', ''), 'base64');
    return `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
  });
}

function send(
  response: ServerResponse,
  { status = 200, headers, body = '', ...failure }: HookResponse,
): void {
  if (failure.isEndless) return;
  if (failure.isLost) return void response.destroy();
  response.writeHead(status, headers ?? { 'content-type': 'application/json' });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
}

/** What changes and refuses nothing: the service requires the claims of a token alone. */
const accept = ({ json }: HookCall): HookResponse => ({
  body: typeof json === 'object' && json !== null && 'claims' in json ? { claims: json.claims } : {},
});

/** @param port 0: any free one. @throws {Error} if the port is in use. */
export async function createHookServer(port: number): Promise<HookServer> {
  const received: { readonly hook: string; readonly call: HookCall }[] = [];
  const prepared = new Map<string, { readonly text: string; readonly responses: HookResponse[] }[]>();
  const receive = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    const call = { headers: request.headers, text, json: parseJson(text) };
    const hook = (request.url ?? '').slice(1);
    received.push({ hook, call });
    const responses = prepared.get(hook)?.findLast((entry) => text.includes(entry.text))?.responses ?? [];
    const next = responses.length > 1 ? responses.shift() : responses[0];
    send(response, next ?? accept(call));
  };
  const server = createServer((request, response) => void receive(request, response));
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    calls: (hook, text) =>
      received
        .filter((entry) => entry.hook === hook && entry.call.text.includes(text))
        .map(({ call }) => call),
    respond(hook, text, ...responses) {
      prepared.set(hook, [...(prepared.get(hook) ?? []), { text, responses: [...responses] }]);
    },
    port: (server.address() as AddressInfo).port,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
