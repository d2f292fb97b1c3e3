import { createClient, type SupabaseClient } from '@supabase/supabase-js';
import { connectLocalSupabase, type StartProgress, type WorkerSupabase } from 'local-supabase/browser';
import { Secret, TOTP } from 'otpauth';

/** The test's page, which calls the project in its worker with the vendor's client. */
declare global {
  interface Window {
    readonly actions: typeof actions;
    readonly project: Promise<WorkerSupabase>;
    readonly progress: StartProgress[];
  }
}

const progress: StartProgress[] = [];
const connect = () =>
  connectLocalSupabase(new Worker('/worker.js', { type: 'module' }), {
    onProgress: (step) => progress.push(step),
  });
const project = connect();
const client: Promise<SupabaseClient> = project.then(({ url, publishableKey, fetch, WebSocket }) =>
  createClient(url, publishableKey, {
    global: { fetch },
    realtime: { transport: WebSocket },
  }),
);

function valueOf<T>({ data, error }: { readonly data: T; readonly error: Error | null }): NonNullable<T> {
  if (error || data === null || data === undefined) throw error ?? new Error('The result is empty');
  return data;
}

const code = (secret: string) => new TOTP({ secret: Secret.fromBase32(secret) }).generate();

const actions = {
  async signIn() {
    const { auth } = await client;
    const credentials = { email: 'ada@example.com', password: 'inbox-development' };
    const { data, error } = await auth.signInWithPassword(credentials);
    if (error) throw error;
    return data.user.email;
  },
  currentUser: async () => (await (await client).auth.getUser()).data.user?.email ?? null,
  async countNotifications() {
    const { data, error } = await (await client).from('notifications').select('id');
    if (error) throw error;
    return data.length;
  },
  async enrollTotp() {
    const { mfa } = (await client).auth;
    const factor = valueOf(await mfa.enroll({ factorType: 'totp' }));
    valueOf(await mfa.challengeAndVerify({ factorId: factor.id, code: code(factor.totp.secret) }));
    return valueOf(await mfa.getAuthenticatorAssuranceLevel()).currentLevel;
  },
  async upload(text: string) {
    const { storage } = await client;
    await (
      await project
    ).query("insert into storage.buckets (id, name, public) values ('files', 'files', true)");
    await (
      await project
    ).query('create policy files on storage.objects for all to authenticated using (true)');
    valueOf(await storage.from('files').upload('note.txt', new Blob([text], { type: 'text/plain' })));
    return valueOf(await storage.from('files').download('note.txt')).text();
  },
  download: async () => valueOf(await (await client).storage.from('files').download('note.txt')).text(),
  /** Subscribes, adds a row, and waits for its change. */
  async receiveChange(content: string) {
    const supabase = await client;
    const user = (await supabase.auth.getUser()).data.user?.id;
    const { query } = await project;
    return new Promise<{ readonly content: string; readonly durationMs: number }>((resolve, reject) => {
      let startedMs = 0;
      supabase
        .channel('changes')
        .on('postgres_changes', { event: 'INSERT', schema: 'public', table: 'notifications' }, (change) =>
          resolve({ content: String(change.new['content']), durationMs: performance.now() - startedMs }),
        )
        .on('system', {}, ({ status }: { readonly status: string }) => {
          if (status !== 'ok') return reject(new Error(status));
          startedMs = performance.now();
          query('insert into public.notifications (recipient_id, content) values ($1, $2)', [
            user,
            content,
          ]).catch(reject);
        })
        .subscribe((_status, problem) => problem && reject(problem));
    });
  },
  callFunction: async () =>
    valueOf(await (await client).functions.invoke<{ hello: string }>('hello', { body: { name: 'Ada' } })),
  async recover() {
    const { mailboxUrl, fetch } = await project;
    const { error } = await (await client).auth.resetPasswordForEmail('ada@example.com');
    if (error) throw error;
    const response = await fetch(`${mailboxUrl}/api/v1/messages`);
    const { messages } = (await response.json()) as { messages: { readonly To: { Address: string }[] }[] };
    return messages[0]?.To[0]?.Address;
  },
  async failingStatement() {
    const { query } = await project;
    return query('select 1/0').catch((problem: { readonly code?: string }) => problem.code);
  },
  forget: async () => (await project).forget(),
};

Object.assign(window, { actions, project, progress });
