import { UnmetExpectationError } from './assertion.ts';
import { scaleDeadline } from './deadlines.ts';
import { at, fetchAgainWhereReset } from './wire.ts';

/** A message with its links and code. */
export interface ReceivedMail {
  readonly id: string;
  readonly subject: string;
  readonly body: string;
  /** Every http(s) URL, in order. */
  readonly links: readonly string[];
  /** The six- to ten-digit code, if there is one. */
  readonly code: string | null;
}

export class NoMailError extends UnmetExpectationError {
  override readonly name = 'NoMailError';
}

export interface MailReader {
  /** Waits for the newest message to `address` that is not in `seen`, and adds it there. */
  next(address: string): Promise<ReceivedMail>;
  /** Returns the messages to `address`, newest first, without an effect on `next`. */
  all(address: string): Promise<readonly ReceivedMail[]>;
}

const waitMs = 8000;
const pauseMs = 40;

/** Reads a mailbox through Mailpit's HTTP API. */
export function createMailReader(mailboxUrl: string): MailReader {
  const seen = new Set<string>();
  const getJson = async (path: string): Promise<unknown> =>
    (await fetchAgainWhereReset(fetch, mailboxUrl + path, {})).json();
  const findIds = async (address: string): Promise<readonly string[]> => {
    const found = await getJson(`/api/v1/search?query=${encodeURIComponent(`to:${address}`)}`);
    const messages = at(found, 'messages');
    return (Array.isArray(messages) ? messages : []).map((message) => String(at(message, 'ID')));
  };
  const read = async (id: string) => parseMail(id, await getJson(`/api/v1/message/${id}`));
  return {
    all: async (address) => Promise.all((await findIds(address)).map(read)),
    async next(address) {
      for (const startedMs = Date.now(); Date.now() - startedMs < scaleDeadline(waitMs);) {
        const fresh = (await findIds(address)).find((id) => !seen.has(id));
        if (fresh !== undefined) {
          seen.add(fresh);
          return read(fresh);
        }
        await new Promise((resolve) => setTimeout(resolve, pauseMs));
      }
      throw new NoMailError(`a mail for ${address} arrives within ${scaleDeadline(waitMs)} ms`, 'none');
    },
  };
}

function parseMail(id: string, message: unknown): ReceivedMail {
  const html = asText(at(message, 'HTML'));
  const body = (html || asText(at(message, 'Text'))).replaceAll('&amp;', '&');
  const links = [...body.matchAll(/https?:\/\/[^\s"'<>]+/g)].map(([link]) => link);
  const words = body
    .replaceAll(/<style[^]*?<\/style>/g, ' ')
    .replaceAll(/<[^>]+>/g, ' ')
    // A random address may contain a number with as many digits as a code.
    .replaceAll(/https?:\/\/\S+|\S+@\S+/g, ' ');
  return {
    id,
    subject: asText(at(message, 'Subject')),
    body,
    links,
    code: /(?<![\w#])(\d{6,10})(?!\w)/.exec(words)?.[1] ?? null,
  };
}

/**
 * The link that the server itself verifies (`{{ .ConfirmationURL }}`), for a template with a link to the application
 * that contains `token_hash` and `type`; null for any other link.
 */
export function toVerifyLink(link: string, authUrl: string): string | null {
  if (!URL.canParse(link)) return null;
  const page = new URL(link);
  const { token_hash: token, type } = Object.fromEntries(new URLSearchParams(page.hash.slice(1)));
  if (!token || !type) return null;
  page.hash = '';
  return `${authUrl}/verify?${new URLSearchParams({ token, type, redirect_to: page.href })}`;
}

const asText = (value: unknown): string => (typeof value === 'string' ? value : '');
