import type { Message } from 'inbox-sender';
import { createSupabaseClients } from 'supabase-protocol-clients';
import { startProject } from '../playground/project.ts';

/** The messages between the demo's page and this frame. */
export type DemoMessage =
  | { readonly type: 'send'; readonly message: Omit<Message, 'recipients'> }
  | { readonly type: 'progress'; readonly progress: Parameters<Parameters<typeof startProject>[0]>[0] }
  | { readonly type: 'ready' }
  | { readonly type: 'failed'; readonly message: string };

const show = (message: DemoMessage) => parent.postMessage(message, location.origin);

/** Starts the project, signs Ada in, and opens the application, whose requests this tab handles. */
async function start(): Promise<void> {
  const supabase = await startProject((progress) => show({ type: 'progress', progress }));
  const { url, publishableKey: apiKey, secretKey } = supabase;
  Object.assign(globalThis, { fetch: supabase.fetch, WebSocket: supabase.WebSocket });
  const { auth, close } = createSupabaseClients({ url, apiKey });
  const { status } = await auth.start();
  if (status !== 'signed-in')
    await auth.signInWithPassword({ email: 'ada@example.com', password: 'inbox-development' });
  const userId = auth.getSnapshot().user?.id ?? '';
  close();
  // A backend would use `createSender`, which refuses the secret key in a page. This project is in the visitor's own
  // tab.
  const send = async (message: Message): Promise<void> => {
    const response = await supabase.fetch(`${url}/rest/v1/rpc/send_notifications`, {
      method: 'POST',
      headers: { apikey: secretKey, 'content-type': 'application/json' },
      body: JSON.stringify({ messages: [{ ...message, idempotency_key: crypto.randomUUID() }] }),
    });
    if (!response.ok) throw new Error(await response.text());
  };
  addEventListener('message', ({ origin, data }: MessageEvent<DemoMessage>) => {
    if (origin !== location.origin || data.type !== 'send') return;
    send({ ...data.message, recipients: [userId] } as Message).catch((problem: unknown) => {
      show({ type: 'failed', message: problem instanceof Error ? problem.message : String(problem) });
    });
  });
  // The frame's URL is not visible, but the application reads its route from it.
  history.replaceState(null, '', '/home');
  const application = await import('../../../src/inbox/main.tsx');
  application.start(Promise.resolve());
  show({ type: 'ready' });
}

start().catch((problem: unknown) => {
  show({ type: 'failed', message: problem instanceof Error ? problem.message : String(problem) });
});
