import { listen, type HttpServer } from '../http/http-server.ts';
import { createOwnHosts, type OwnHosts } from '../http/own-host.ts';
import { createMailboxSite } from '../mail/mailbox-site.ts';
import { createSmtpServer, type SmtpServer } from '../mail/smtp-server.ts';
import { startPostgresServer } from '../postgres-port/postgres-server.ts';
import type { OpenProject } from '../project/open-project.ts';
import type { LocalSupabaseOptions } from '../project/options.ts';
import type { DenoRunner } from '../services/functions/deno/deno-runner.ts';
import type { Core } from './core.ts';
import { createFaultsApi } from './faults/faults-api.ts';
import { isUpload } from './json-depth.ts';

/** Registers a cleanup; cleanups run in reverse order. */
export type OnClose = (end: () => Promise<unknown> | void) => void;

const IN_PROCESS_URL = 'http://local-supabase.test';

/** The ports of an instance. A function in another process opens the missing ones on first use. */
export class Ports {
  readonly hosts: OwnHosts;
  readonly smtp: SmtpServer;
  url = IN_PROCESS_URL;
  api: HttpServer | undefined;
  mailbox: HttpServer | undefined;
  #postgres: { readonly url: string } | undefined;
  readonly #options: LocalSupabaseOptions;
  readonly #project: OpenProject;
  readonly #handle: Core['handle'];
  readonly #onClose: OnClose;

  constructor(options: LocalSupabaseOptions, project: OpenProject, handle: Core['handle'], onClose: OnClose) {
    this.#options = options;
    this.#project = project;
    this.#handle = handle;
    this.#onClose = onClose;
    this.hosts = createOwnHosts(options.allowedHosts);
    this.smtp = createSmtpServer(project.mailbox, options.smtpPort ?? 0);
    onClose(this.smtp.close);
  }

  get databaseUrl(): string | null {
    return this.#project.serverUrl ?? this.#postgres?.url ?? null;
  }

  async open(core: Core, runner: DenoRunner): Promise<void> {
    const { port = null, mailboxPort = null, databasePort = null } = this.#options;
    if (this.#options.smtpPort !== undefined) await this.smtp.port();
    if (port !== null) await this.#openApi(port, core, runner);
    if (mailboxPort !== null) {
      const faultsApi = createFaultsApi(core.faults);
      const { isForeign } = this.hosts;
      const site = createMailboxSite({ mailbox: this.#project.mailbox, faultsApi, isForeign });
      this.mailbox = await listen(mailboxPort, this.hosts, site);
      this.#onClose(this.mailbox.close);
    }
    if (databasePort !== null && this.#project.serverUrl === undefined)
      this.#postgres = await this.#openDatabase(databasePort);
  }

  async #openApi(port: number, { services }: Core, runner: DenoRunner): Promise<void> {
    const api = await listen(port, this.hosts, this.#handle, isUpload);
    this.api = api;
    this.url = api.url;
    const { functions, realtime } = services;
    const { admits } = this.hosts;
    // Import on demand: without a port, `ws` is not needed.
    const { attachSockets } = await import('./socket-upgrades.ts');
    const { attachFunctionSockets } = await import('../services/functions/deno/function-sockets.ts');
    const { report = console.error } = this.#options;
    const detach = attachSockets(api.server, realtime, { admits, report });
    const detachFunctions = attachFunctionSockets(api.server, { functions, runner, admits });
    this.#onClose(async () => {
      detach();
      detachFunctions();
      await api.close();
    });
  }

  async #openDatabase(port: number): Promise<{ readonly url: string }> {
    const postgres = await startPostgresServer({ database: this.#project.database, port });
    this.#onClose(postgres.close);
    return postgres;
  }

  /** The URLs of the API and the database for another process. */
  readonly reachable = onlyOnce(async () => {
    const open = this.api ?? (await listen(0, this.hosts, this.#handle));
    if (!this.api) this.#onClose(open.close);
    const databaseUrl = this.databaseUrl ?? (await this.#openDatabase(0)).url;
    return { url: open.url, databaseUrl };
  });
}

/** Calls a function on first use, and again after a failure. */
function onlyOnce<T>(call: () => Promise<T>): () => Promise<T> {
  let called: Promise<T> | undefined;
  return () => {
    called ??= call().catch((problem: unknown) => {
      called = undefined;
      throw problem;
    });
    return called;
  };
}
