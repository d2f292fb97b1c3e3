import type { MailRefusal } from './mail-transport.ts';

/** The command before the response; `session`: the greeting, EHLO, STARTTLS, AUTH. */
export type SmtpStage = 'session' | 'MAIL' | 'RCPT' | 'DATA';

/** A rule that classifies responses of a mail server. The first matching rule of a list applies. */
export interface SmtpRule {
  readonly stages: readonly SmtpStage[];
  /** Pattern of the reply code (RFC 5321). */
  readonly code: RegExp;
  /** Pattern of subject and detail of the enhanced code, such as `1.1` of 5.1.1 (RFC 3463); null: with any and without. */
  readonly status: RegExp | null;
  readonly refusal: MailRefusal;
  readonly meaning: string;
}

const recipient: readonly SmtpStage[] = ['RCPT', 'DATA'];
const anywhere: readonly SmtpStage[] = ['session', 'MAIL', 'RCPT', 'DATA'];

/** Only a response about this mail or its address may count or kill it; x.1.0, x.1.7 and x.1.8 may be about the sender. */
export const smtpRules: readonly SmtpRule[] = [
  {
    stages: ['session'],
    code: /./,
    status: null,
    refusal: 'unavailable',
    meaning: 'no session, or the credentials are not accepted (RFC 5321, 3.1; RFC 4954, 6)',
  },
  {
    stages: anywhere,
    code: /^421$/,
    status: null,
    refusal: 'unavailable',
    meaning: 'the server ends the session (RFC 5321, 3.8)',
  },
  {
    stages: anywhere,
    code: /^(454|530|535|538)$/,
    status: null,
    refusal: 'unavailable',
    meaning: 'authentication (RFC 4954, 6); the rate or the quota of SES',
  },
  {
    stages: ['MAIL'],
    code: /^552$/,
    status: null,
    refusal: 'refused',
    meaning: 'the mail is larger than the server takes (RFC 1870, 6.1)',
  },
  {
    stages: ['MAIL'],
    code: /./,
    status: null,
    refusal: 'unavailable',
    meaning: 'the server takes nothing from this sender now; nothing was said of the recipient yet',
  },
  {
    stages: recipient,
    code: /^5/,
    status: /^(1\.([12346]|10)|2\.1)$/,
    refusal: 'unknown-address',
    meaning:
      'the mailbox or its domain does not exist, or the mailbox is disabled (RFC 3463, 3.2 and 3.3; RFC 7505)',
  },
  {
    stages: recipient,
    code: /^5/,
    status: /^(2\.3|3\.4|6\.\d+)$/,
    refusal: 'refused',
    meaning: 'the mail is too large, or its content is not supported (RFC 3463, 3.3, 3.4 and 3.7)',
  },
  {
    stages: recipient,
    code: /./,
    status: /^(1\.([12346]|10)|2\.2|6\.\d+)$/,
    refusal: 'temporary',
    meaning: 'the mailbox cannot be found now, or it is full (RFC 3463, 3.2 and 3.3)',
  },
  {
    stages: recipient,
    code: /^552$/,
    status: null,
    refusal: 'temporary',
    meaning: 'the mailbox is full, or the mail too large (RFC 5321, 4.2.3)',
  },
  {
    stages: recipient,
    code: /./,
    status: null,
    refusal: 'held',
    meaning:
      'policy, reputation, authentication of the sender, quotas, routing, greylisting: nothing about the address or the mail alone',
  },
];

const statusPattern = /^\d{3}[ -]#?\d\.(\d{1,3}\.\d{1,3})\b/;

/** Classifies a response to a mail. @param response its text, which begins with the reply code. */
export function judgeSmtpResponse(stage: SmtpStage, response: string): MailRefusal {
  const code = response.slice(0, 3);
  const status = statusOf(response);
  const rule = smtpRules.find(
    (one) =>
      one.stages.includes(stage) &&
      one.code.test(code) &&
      (one.status === null || (status !== null && one.status.test(status))),
  );
  return rule?.refusal ?? 'held';
}

/** Whether a bounce has enhanced codes, none of which is about the address. */
export function isAboutSomethingElse(text: string): boolean {
  const found = text.match(/\b5\.\d{1,3}\.\d{1,3}\b/g) ?? [];
  return (
    found.length > 0 && found.every((code) => judgeSmtpResponse('RCPT', `550 ${code}`) !== 'unknown-address')
  );
}

function statusOf(response: string): string | null {
  return statusPattern.exec(response)?.[1] ?? null;
}
