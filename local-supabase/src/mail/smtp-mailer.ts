import type { Transporter } from 'nodemailer';
import type { Mailer } from './mail.ts';

/** An SMTP server, from `[auth.email.smtp]`. */
export interface SmtpSettings {
  readonly host: string;
  readonly port: number;
  /** Empty for a server without authentication. */
  readonly user: string;
  readonly password: string;
  readonly adminEmail: string;
  readonly senderName: string;
}

/** The port of SMTP over implicit TLS (RFC 8314). */
const implicitTlsPort = 465;
/** GoTrue's connection timeout; the request and its transaction wait for the mail server. */
const connectionTimeoutMs = 10_000;

/** Sends mails to real recipients. `send` rejects with the SMTP server's error. */
export function createSmtpMailer(settings: SmtpSettings): Mailer {
  const { host, port, user, password, adminEmail, senderName } = settings;
  const createTransport = async () =>
    (await import('nodemailer')).createTransport({
      host,
      port,
      secure: port === implicitTlsPort,
      connectionTimeout: connectionTimeoutMs,
      greetingTimeout: connectionTimeoutMs,
      socketTimeout: connectionTimeoutMs,
      ...(user !== '' && { auth: { user, pass: password } }),
    });
  let transport: Promise<Transporter> | undefined;
  return {
    async send({ to, subject, html, text, from }) {
      const sender = from ?? { name: senderName, address: adminEmail };
      transport ??= createTransport();
      await (
        await transport
      ).sendMail({ from: sender, to, subject, html, ...(text !== undefined && { text }) });
    },
  };
}
