import { type HtmlTemplate, parseHtmlTemplate } from '../../go-template/html-template.ts';

/** The mails of the service; a project may have a template for each. */
export const mailKinds = [
  'confirmation',
  'invite',
  'magic_link',
  'recovery',
  'email_change',
  'reauthentication',
] as const;
export type MailKind = (typeof mailKinds)[number];

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

interface Wording {
  readonly subject: string;
  readonly title: string;
  /** One sentence; takes the two addresses, or the placeholders for them. */
  readonly ask: (email: string, newEmail: string) => string;
  /** The text of the link; null for mails that contain only a code. */
  readonly action: string | null;
}

const wordings: Readonly<Record<MailKind, Wording>> = {
  confirmation: {
    subject: 'Confirm your email address',
    title: 'Confirm your email address',
    ask: (email) => `Follow the link, or enter the code, to confirm that ${email} is yours.`,
    action: 'Confirm email address',
  },
  invite: {
    subject: "You've been invited",
    title: 'You are invited',
    ask: () => 'You have been invited to create an account.',
    action: 'Accept the invitation',
  },
  magic_link: {
    subject: 'Your sign-in link',
    title: 'Sign in',
    ask: () => 'Follow the link, or enter the code, to sign in.',
    action: 'Sign in',
  },
  recovery: {
    subject: 'Reset your password',
    title: 'Reset your password',
    ask: () => 'Follow the link, or enter the code, to choose a new password.',
    action: 'Reset password',
  },
  email_change: {
    subject: 'Confirm your new email address',
    title: 'Confirm the change of your email address',
    ask: (email, newEmail) =>
      `Follow the link, or enter the code, to change your address from ${email} to ${newEmail}.`,
    action: 'Confirm the change',
  },
  reauthentication: {
    subject: '{{ .Token }} is your verification code',
    title: 'Confirm that it is you',
    ask: () => 'Enter this code to continue.',
    action: null,
  },
};

const defaultHtml = ({ title, ask, action }: Wording): string =>
  [
    `<h2>${title}</h2>`,
    `<p>${ask('{{ .Email }}', '{{ .NewEmail }}')}</p>`,
    ...(action === null ? [] : [`<p><a href="{{ .ConfirmationURL }}">${action}</a></p>`]),
    '<p>Code: <strong>{{ .Token }}</strong></p>',
    '<p>If you did not request this, ignore this email.</p>',
  ].join('\n');

const textOf = (fields: MailFields, name: string): string => {
  const value = fields[name];
  return typeof value === 'string' ? value : '';
};

function defaultText({ title, ask, action }: Wording, fields: MailFields): string {
  const link = action === null ? [] : [`${action}: ${textOf(fields, 'ConfirmationURL')}`];
  const sentence = ask(textOf(fields, 'Email'), textOf(fields, 'NewEmail'));
  return [title, sentence, ...link, `Code: ${textOf(fields, 'Token')}`].join('\n\n');
}

interface ParsedMail {
  readonly subject: HtmlTemplate;
  readonly html: HtmlTemplate;
}

function parse(kind: MailKind, source: MailTemplateSource): ParsedMail {
  const wording = wordings[kind];
  return {
    subject: parseHtmlTemplate(source.subject ?? wording.subject),
    html: parseHtmlTemplate(source.html ?? defaultHtml(wording)),
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
  return {
    subject: parsed.subject.render(fields),
    html: parsed.html.render(fields),
    text: defaultText(wordings[kind], fields),
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
