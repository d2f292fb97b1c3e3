import { createDenoRunner, type DenoRunner } from '../services/functions/deno/deno-runner.ts';
import { createFunctionFetch, type FunctionRuntime } from '../services/functions/function-runtime.ts';
import type { FetchFunction } from '../http/in-process.ts';
import type { TokenKeys } from '../keys/keys.ts';
import { localSender } from '../mail/mail.ts';
import type { SmtpSettings } from '../mail/smtp-mailer.ts';
import type { SmtpServer } from '../mail/smtp-server.ts';
import type { LocalSupabaseOptions } from '../project/options.ts';
import { supabaseFolder } from '../project/project-folder.ts';
import type { Ports } from './ports.ts';

export interface FunctionEnvironmentOptions {
  readonly keys: TokenKeys;
  readonly now: () => number;
  /** Functions in files run in other processes, which open the missing ports on first use. */
  readonly ports: Ports;
  readonly fetch: FetchFunction;
}

/** The environment of functions: variables, network and clock, and the processes of functions in files. */
export interface FunctionEnvironment {
  readonly runner: DenoRunner;
  /** For handlers in this process. */
  runtime(): Promise<FunctionRuntime>;
}

export function createFunctionEnvironment(
  options: LocalSupabaseOptions,
  { keys, now, ports, fetch }: FunctionEnvironmentOptions,
): FunctionEnvironment {
  const { onFunctionOutput = (name, line) => console.log(`[${name}] ${line}`) } = options;
  const platform = (projectUrl: string) => ({
    SUPABASE_URL: projectUrl,
    SUPABASE_ANON_KEY: keys.anonKey,
    SUPABASE_SERVICE_ROLE_KEY: keys.serviceRoleKey,
    SUPABASE_PUBLISHABLE_KEYS: JSON.stringify({ default: keys.publishableKey }),
    SUPABASE_SECRET_KEYS: JSON.stringify({ default: keys.secretKey }),
  });
  const runner = createDenoRunner({
    folder: new URL('functions/', supabaseFolder(options.project)),
    settings: options.functionSettings ?? {},
    log: onFunctionOutput,
    environment: async () => {
      const project = await ports.reachable();
      return {
        ...platform(project.url),
        SUPABASE_DB_URL: project.databaseUrl,
        SUPABASE_JWKS: JSON.stringify(await keys.jwks()),
        ...options.functionEnv,
      };
    },
  });
  return {
    runner,
    runtime: async () => ({
      env: {
        ...platform(ports.url),
        APP_URL: options.siteUrl ?? 'http://localhost:5173',
        ...(await mailVariables(options.smtp, ports.smtp)),
        ...options.functionEnv,
      },
      fetch: createFunctionFetch(() => ports.url, fetch),
      now,
    }),
  };
}

/** Functions send to the mailbox, or through the project's SMTP server. */
async function mailVariables(
  smtp: SmtpSettings | undefined,
  server: SmtpServer,
): Promise<Readonly<Record<string, string>>> {
  if (!smtp) {
    const port = String(await server.port());
    return { MAIL_FROM: localSender, SMTP_HOST: '127.0.0.1', SMTP_PORT: port };
  }
  return {
    MAIL_FROM: `${smtp.senderName} <${smtp.adminEmail}>`,
    SMTP_HOST: smtp.host,
    SMTP_PORT: String(smtp.port),
    ...(smtp.user !== '' && { SMTP_USER: smtp.user, SMTP_PASS: smtp.password }),
  };
}
