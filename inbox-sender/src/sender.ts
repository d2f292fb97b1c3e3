import { checkDate, checkId, checkJson, checkObject, checkSendAt, checkText } from './check.ts';
import { previewError, SenderError, senderError } from './errors.ts';
import type { Kind } from './kind.ts';
import type { Delivery, DryRun, Message, MessageStatus, Preview } from './message.ts';
import { openProject, type Post, type SenderOptions } from './project.ts';
import { decodeDryRun, decodeStatus, encodeMessage } from './wire.ts';

/** The options of one call. */
export interface CallOptions {
  /** Ends the call; the error is `aborted`. A message in flight may have been sent. */
  readonly signal?: AbortSignal;
}

/** Sends notifications, and reports their outcomes. Every method throws {@link SenderError} only. */
export interface Sender {
  /**
   * Sends a message. A request that fails transiently is retried, which sends nothing twice, because each message has an idempotency key.
   *
   * @returns the outcome for each recipient; for more than 100, an audience or everyone the state is `queued`.
   */
  send(message: Message, options?: CallOptions): Promise<MessageStatus>;
  /** Sends up to 100 messages in one transaction: all are accepted, or the call fails. The results are in the order of the messages. */
  sendAll(messages: readonly Message[], options?: CallOptions): Promise<readonly MessageStatus[]>;
  /**
   * Returns the outcomes that a message would have, and its row, mail and push message in every language. Nothing is sent,
   * and the idempotency key stays free. The function `notification-mails` renders it.
   */
  dryRun(message: Message, options?: CallOptions): Promise<DryRun>;
  /** Returns the status of a message; `userId`: for one recipient only. The log is kept for 30 days. */
  status(id: string, options?: CallOptions & { readonly userId?: string }): Promise<MessageStatus>;
  /** Every delivery of a message, read in pages of 1,000, in the order of the recipients' ids. */
  deliveries(id: string, options?: CallOptions): AsyncIterableIterator<Delivery>;
  /**
   * Cancels a message that has not been delivered. Recipients who have it keep it; the state shows whether the call was too
   * late.
   */
  cancel(id: string, options?: CallOptions): Promise<MessageStatus>;
  /** Registers a kind, or replaces the one of the same name: call it at each start of the program. A project has up to 50. */
  registerKind(kind: Kind, options?: CallOptions): Promise<void>;
  /** Removes a kind: its notifications stay as plain ones, and messages of it are refused. Returns whether there was one. */
  removeKind(name: string, options?: CallOptions): Promise<boolean>;
}

const pageSize = 1000;
const maxMessages = 100;

/**
 * Creates a sender, which runs in Node, Bun, Deno and Edge Functions. Creating it sends nothing.
 *
 * @throws {SenderError} `invalid-options`, also for a publishable key, and in a page or an app, whose users could read the key.
 * @example
 * ```ts
 * import { createSender } from 'inbox-sender';
 *
 * const sender = createSender({ url: process.env.SUPABASE_URL!, secretKey: process.env.SUPABASE_SECRET_KEY! });
 * const { deliveries } = await sender.send({ recipients: [userId], kind: 'comment', text: 'The build is green.', url: '/builds/7' });
 * console.log(deliveries[0]?.outcome); // delivered
 * ```
 */
export function createSender(options: SenderOptions): Sender {
  const post = openProject(options);
  return { ...sendMethods(post), ...messageMethods(post), ...kindMethods(post) };
}

/** Calls a function of the database, and reads its response. */
async function call<Result>(
  post: Post,
  name: string,
  createArgs: () => Record<string, unknown>,
  options: CallOptions | undefined,
  decode: (response: unknown) => Result,
): Promise<Result> {
  try {
    const args = createArgs();
    checkJson(args, '');
    return decode(await post(`rest/v1/rpc/${name}`, args, options?.signal));
  } catch (problem) {
    throw senderError(problem);
  }
}

function sendMethods(post: Post): Pick<Sender, 'send' | 'sendAll' | 'dryRun'> {
  const sendAll: Sender['sendAll'] = (messages, options) =>
    call(
      post,
      'send_notifications',
      () => ({ messages: encodeMessages(messages) }),
      options,
      (response) => (response as readonly unknown[]).map(decodeStatus),
    );
  return {
    sendAll,
    async send(message, options) {
      const [status] = await sendAll([message], options);
      if (!status) throw new SenderError('server', 'The response lacks the message.');
      return status;
    },
    async dryRun(message, options) {
      const { preview, ...outcome } = await call(
        post,
        'send_notifications',
        () => ({ messages: encodeMessages([message]), dry_run: true }),
        options,
        decodeDryRun,
      );
      return { ...outcome, previews: await renderPreviews(post, preview, options?.signal) };
    },
  };
}

function messageMethods(post: Post): Pick<Sender, 'status' | 'deliveries' | 'cancel'> {
  const callById = (
    name: string,
    id: string,
    options: CallOptions | undefined,
    page: Record<string, unknown> = {},
  ) =>
    call(
      post,
      name,
      () => {
        checkId(id, 'id');
        return { message_id: id, ...page };
      },
      options,
      decodeStatus,
    );
  return {
    async status(id, options) {
      const { userId } = options ?? {};
      if (userId !== undefined) checkId(userId, 'userId');
      return callById('message_status', id, options, userId === undefined ? {} : { user_id: userId });
    },
    async *deliveries(id, options) {
      let after: string | null = null;
      for (;;) {
        const page = { after, page_size: pageSize };
        const { deliveries }: MessageStatus = await callById('message_status', id, options, page);
        yield* deliveries;
        if (deliveries.length < pageSize) return;
        after = deliveries.at(-1)?.recipientId ?? null;
      }
    },
    cancel: (id, options) => callById('cancel_message', id, options),
  };
}

const kindMethods = (post: Post): Pick<Sender, 'registerKind' | 'removeKind'> => ({
  registerKind: (kind, options) =>
    call(
      post,
      'register_kind',
      () => {
        checkObject(kind, 'kind');
        return { kind };
      },
      options,
      () => undefined,
    ),
  removeKind: (name, options) =>
    call(
      post,
      'remove_kind',
      () => {
        checkText(name, 'name');
        return { name };
      },
      options,
      (found) => found === true,
    ),
});

async function renderPreviews(
  post: Post,
  preview: object,
  signal: AbortSignal | undefined,
): Promise<Readonly<Record<string, Preview>>> {
  try {
    const previews = await post('functions/v1/notification-mails', { preview }, signal);
    checkObject(previews, 'The response of notification-mails');
    return previews as Readonly<Record<string, Preview>>;
  } catch (problem) {
    throw previewError(problem);
  }
}

function encodeMessages(messages: readonly Message[]): readonly Record<string, unknown>[] {
  if (!Array.isArray(messages) || messages.length === 0 || messages.length > maxMessages)
    throw new SenderError('invalid-message', `messages is not a list of 1 to ${maxMessages} messages.`);
  return Array.from<Message, Record<string, unknown>>(messages, (message, place) => {
    const path = `messages[${place}]`;
    checkObject(message, path);
    if (message.sender !== undefined) checkObject(message.sender, `${path}.sender`);
    checkSendAt(message.sendAt, `${path}.sendAt`);
    checkDate(message.expiresAt, `${path}.expiresAt`);
    return encodeMessage(message);
  });
}
