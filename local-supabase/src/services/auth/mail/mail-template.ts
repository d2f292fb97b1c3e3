import { type HtmlTemplate, parseHtmlTemplate } from '../../../mail/go-template/html-template.ts';
import { htmlToText } from '../../../mail/html-to-text.ts';

/** The mails that contain a code; a project may have a template for each. */
export const codeMailKinds = [
  'confirmation',
  'invite',
  'magic_link',
  'recovery',
  'email_change',
  'reauthentication',
] as const;
export type CodeMailKind = (typeof codeMailKinds)[number];

/** The changes of an account that a mail reports, named as in `[auth.email.notification]` of `config.toml`. */
export const accountChanges = [
  'password_changed',
  'email_changed',
  'phone_changed',
  'identity_linked',
  'identity_unlinked',
  'mfa_factor_enrolled',
  'mfa_factor_unenrolled',
] as const;
export type AccountChange = (typeof accountChanges)[number];

export type MailKind = CodeMailKind | `${AccountChange}_notification`;

/** The data of a template, as GoTrue passes it: `{{ .Name }}` or `{{ .Data.name }}`. */
export type MailFields = Readonly<Record<string, unknown>>;

/** A project's own templates, in Go's template language; null selects the default. */
export interface MailTemplateSource {
  readonly subject: string | null;
  readonly html: string | null;
}

export interface RenderedMail {
  readonly subject: string;
  readonly html: string;
  readonly text: string;
}

/** Returns the value of a template's field, or its placeholder. */
type FieldText = (name: string) => string;

interface Wording {
  readonly subject: string;
  readonly title: string;
  readonly sentence: (field: FieldText) => string;
  /** The text of the link; null for mails that contain only a code; absent for mails without a code. */
  readonly action?: string | null;
}

const wordings: Readonly<Record<MailKind, Wording>> = {
  confirmation: {
    subject: 'Confirm your email address',
    title: 'Confirm your email address',
    sentence: (field) => `Follow the link, or enter the code, to confirm that ${field('Email')} is yours.`,
    action: 'Confirm email address',
  },
  invite: {
    subject: "You've been invited",
    title: 'You are invited',
    sentence: () => 'You have been invited to create an account.',
    action: 'Accept the invitation',
  },
  magic_link: {
    subject: 'Your sign-in link',
    title: 'Sign in',
    sentence: () => 'Follow the link, or enter the code, to sign in.',
    action: 'Sign in',
  },
  recovery: {
    subject: 'Reset your password',
    title: 'Reset your password',
    sentence: () => 'Follow the link, or enter the code, to choose a new password.',
    action: 'Reset password',
  },
  email_change: {
    subject: 'Confirm your new email address',
    title: 'Confirm the change of your email address',
    sentence: (field) =>
      `Follow the link, or enter the code, to change your address from ${field('Email')} to ${field('NewEmail')}.`,
    action: 'Confirm the change',
  },
  reauthentication: {
    subject: '{{ .Token }} is your verification code',
    title: 'Confirm that it is you',
    sentence: () => 'Enter this code to continue.',
    action: null,
  },
  password_changed_notification: {
    subject: 'Your password was changed',
    title: 'Your password was changed',
    sentence: (field) => `The password of the account ${field('Email')} was changed.`,
  },
  email_changed_notification: {
    subject: 'Your email address was changed',
    title: 'Your email address was changed',
    sentence: (field) =>
      `The email address of your account was changed from ${field('OldEmail')} to ${field('Email')}.`,
  },
  phone_changed_notification: {
    subject: 'Your phone number was changed',
    title: 'Your phone number was changed',
    sentence: (field) =>
      `The phone number of your account was changed from ${field('OldPhone')} to ${field('Phone')}.`,
  },
  identity_linked_notification: {
    subject: 'A new sign-in method was linked to your account',
    title: 'A new sign-in method was linked',
    sentence: (field) => `The account ${field('Email')} can now sign in with ${field('Provider')}.`,
  },
  identity_unlinked_notification: {
    subject: 'A sign-in method was removed from your account',
    title: 'A sign-in method was removed',
    sentence: (field) => `The account ${field('Email')} can no longer sign in with ${field('Provider')}.`,
  },
  mfa_factor_enrolled_notification: {
    subject: 'A new verification method was added to your account',
    title: 'A new verification method was added',
    sentence: (field) => `The verification method ${field('FactorType')} was added to ${field('Email')}.`,
  },
  mfa_factor_unenrolled_notification: {
    subject: 'A verification method was removed from your account',
    title: 'A verification method was removed',
    sentence: (field) => `The verification method ${field('FactorType')} was removed from ${field('Email')}.`,
  },
};

const ignoreAdvice = 'If you did not request this, ignore this email.';
const alarmAdvice = 'If you did not make this change, reset your password and contact support.';

function defaultHtml({ title, sentence, action }: Wording): string {
  const begin = [`<h2>${title}</h2>`, `<p>${sentence((name) => `{{ .${name} }}`)}</p>`];
  if (action === undefined) return [...begin, `<p>${alarmAdvice}</p>`].join('\n');
  return [
    ...begin,
    ...(action === null ? [] : [`<p><a href="{{ .ConfirmationURL }}">${action}</a></p>`]),
    '<p>Code: <strong>{{ .Token }}</strong></p>',
    `<p>${ignoreAdvice}</p>`,
  ].join('\n');
}

function defaultText({ title, sentence, action }: Wording, fields: MailFields): string {
  const field: FieldText = (name) => {
    const value = fields[name];
    return typeof value === 'string' ? value : '';
  };
  const begin = [title, sentence(field)];
  if (action === undefined) return [...begin, alarmAdvice].join('\n\n');
  const link = action === null ? [] : [`${action}: ${field('ConfirmationURL')}`];
  return [...begin, ...link, `Code: ${field('Token')}`].join('\n\n');
}

interface ParsedMail {
  readonly subject: HtmlTemplate;
  readonly html: HtmlTemplate;
  readonly isDefaultHtml: boolean;
}

function parse(kind: MailKind, source: MailTemplateSource): ParsedMail {
  const wording = wordings[kind];
  return {
    subject: parseHtmlTemplate(source.subject ?? wording.subject),
    html: parseHtmlTemplate(source.html ?? defaultHtml(wording)),
    isDefaultHtml: source.html === null,
  };
}

/**
 * Renders a mail. A template that cannot be parsed is reported and replaced by the default, as GoTrue does. Throws
 * TemplateError when a template fails while it runs.
 */
export function renderMail(
  kind: MailKind,
  source: MailTemplateSource,
  fields: MailFields,
  report: (error: unknown) => void,
): RenderedMail {
  const parsed = parseOrDefault(kind, source, report);
  const html = parsed.html.render(fields);
  return {
    subject: parsed.subject.render(fields),
    html,
    // The default text has a /verify link, which mail scanners consume; a project's own HTML may avoid it.
    text: parsed.isDefaultHtml ? defaultText(wordings[kind], fields) : htmlToText(html),
  };
}

function parseOrDefault(
  kind: MailKind,
  source: MailTemplateSource,
  report: (error: unknown) => void,
): ParsedMail {
  try {
    return parse(kind, source);
  } catch (cause) {
    report(new Error(`The mail template ${kind} cannot be parsed; the default is sent`, { cause }));
    return parse(kind, { subject: null, html: null });
  }
}
