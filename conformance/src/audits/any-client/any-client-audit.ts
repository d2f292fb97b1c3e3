import { assert, showValue } from '../../target/assertion.ts';
import { auditsOf, type Audit, type ClientArea } from '../../audit/audit.ts';
import type { AuditContext, AuditUser } from '../../audit/audit-context.ts';
import { NotRunError } from '../../target/target.ts';
import type {
  AdaptedClient,
  CallOutcome,
  ClientCommand,
  ClientCommands,
  Json,
} from '../../target/client-adapter.ts';
import { openRecordingProxy, type RecordingProxy } from '../../clients/recording-proxy.ts';

export interface PortableClient {
  readonly proxy: RecordingProxy;
  /** Returns the result of a command that must succeed. */
  ask<C extends ClientCommand>(command: C, args: ClientCommands[C]): Promise<Json>;
  /** Returns the access token; fails the audit without one. */
  token(): Promise<string>;
  /** Returns the outcome of a command that may be refused. */
  attempt<C extends ClientCommand>(
    command: C,
    args: ClientCommands[C],
  ): Promise<Exclude<CallOutcome, { type: 'unsupported' }>>;
}

export interface PortableContext {
  readonly server: AuditContext;
  open(): Promise<PortableClient>;
  /** Returns a client with a signed-in user, by default a new one. */
  signIn(options?: {
    readonly user?: AuditUser;
    readonly lifetimeSeconds?: number;
  }): Promise<PortableClient & { readonly user: AuditUser }>;
}

type AuditOptions = Parameters<ReturnType<typeof auditsOf>>[2];

/**
 * Creates audits that drive any client through an adapter. @throws NotRunError, in a run, for commands that the client
 * does not support.
 */
export function portableAuditsOf(area: ClientArea) {
  const audit = auditsOf(area);
  return (
    id: string,
    title: string,
    options: AuditOptions,
    run: (context: PortableContext) => Promise<void>,
  ): Audit =>
    audit(id, title, { since: '0.2.0', ...options }, async (server) => {
      const opened: { close(): Promise<void> }[] = [];
      const open = async (): Promise<PortableClient> => {
        const { client: adapter, anonKey } = server.target;
        if (!adapter) throw new NotRunError('no client was given (--client)');
        const proxy = await openRecordingProxy(server.target);
        opened.push(proxy);
        const client = await adapter.open({ url: proxy.url, anonKey: anonKey || 'none' });
        opened.push(client);
        return { proxy, ...toPortable(client) };
      };
      try {
        await run({
          server,
          open,
          async signIn({ user: known, lifetimeSeconds } = {}) {
            const user = known ?? (await server.newUser());
            const client = await open();
            if (lifetimeSeconds !== undefined) client.proxy.shortenSessions(lifetimeSeconds);
            await client.ask('signIn', { email: user.email, password: user.password });
            client.proxy.shortenSessions(null);
            return { ...client, user };
          },
        });
      } finally {
        for (const { close } of opened.toReversed()) await close();
      }
    });
}

function toPortable(client: AdaptedClient): Omit<PortableClient, 'proxy'> {
  const attempt: PortableClient['attempt'] = async (command, args) => {
    const outcome = await client.call(command, args);
    if (outcome.type === 'unsupported') throw new NotRunError(`the client has no command ${command}`);
    return outcome;
  };
  const ask: PortableClient['ask'] = async (command, args) => {
    const outcome = await attempt(command, args);
    if (outcome.type === 'ok') return outcome.value;
    return assert.fail(`the command ${command} succeeds`, `${outcome.code ?? 'no code'}: ${outcome.message}`);
  };
  return {
    attempt,
    ask,
    async token() {
      const token = await ask('getAccessToken', {});
      return typeof token === 'string' ? token : assert.fail('an access token is returned', showValue(token));
    },
  };
}
