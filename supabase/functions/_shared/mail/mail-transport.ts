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

/** A mail was not accepted. */
export class MailTransportError extends Error {
  override readonly name = 'MailTransportError';
  /** Whether the address does not exist: another attempt, and another mail, cannot succeed. */
  readonly isRejectedAddress: boolean;
  constructor(message: string, isRejectedAddress: boolean, cause?: unknown) {
    super(message, { cause });
    this.isRejectedAddress = isRejectedAddress;
  }
}
