/** A mail that is ready to be sent. */
export interface OutgoingMail {
  /** The same on every attempt: the idempotency key. */
  readonly id: string;
  /** In angle brackets (RFC 5322), the same on every attempt. */
  readonly messageId: string;
  readonly from: string;
  readonly to: { readonly name: string; readonly address: string };
  readonly subject: string;
  readonly html: string;
  readonly text: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Sends mails: over SMTP, or by the HTTP interface of a provider. */
export interface MailTransport {
  /** @throws {MailTransportError} */
  send(mail: OutgoingMail): Promise<void>;
  close(): void;
}

/**
 * Why a mail was not accepted:
 * - `unavailable`: the provider limits the rate, cannot be reached or does not accept the credentials or the sender. This mail and
 *   the others of the run must wait, and no attempt counts.
 * - `held`: the response is about neither this mail nor its address. This mail waits, and no attempt counts; if several in
 *   a row are held, the others wait, too.
 * - `temporary`: the next attempt may succeed, and this one counts.
 * - `refused`: the mail itself is not accepted; another attempt cannot succeed.
 * - `unknown-address`: the address does not exist; another attempt, and another mail, cannot succeed.
 */
export type MailRefusal = 'unavailable' | 'held' | 'temporary' | 'refused' | 'unknown-address';

export class MailTransportError extends Error {
  override readonly name = 'MailTransportError';
  readonly refusal: MailRefusal;
  /** The wait that the provider requests; 0: not specified. */
  readonly retryAfterMs: number;
  constructor(message: string, refusal: MailRefusal, { cause, retryAfterMs = 0 }: MailRefusalDetails = {}) {
    super(message, { cause });
    this.refusal = refusal;
    this.retryAfterMs = retryAfterMs;
  }
}

interface MailRefusalDetails {
  readonly cause?: unknown;
  readonly retryAfterMs?: number;
}
