/** The mails of the service; each may have a template of its own in the project. */
export type MailKind =
  | 'confirmation'
  | 'invite'
  | 'magic_link'
  | 'recovery'
  | 'email_change'
  | 'reauthentication';

/** What a template may name, as `{{ .Name }}` or `{{ .Data.name }}`. */
export type MailFields = Readonly<Record<string, unknown>>;

interface Template {
  readonly subject: string;
  readonly title: string;
  readonly ask: string;
  /** The words of the link; null for mails that carry only a code. */
  readonly action: string | null;
}

const templates: Readonly<Record<MailKind, Template>> = {
  confirmation: {
    subject: 'Confirm your email address',
    title: 'Confirm your email address',
    ask: 'Follow the link, or enter the code, to confirm that {{ .Email }} is yours.',
    action: 'Confirm email address',
  },
  invite: {
    subject: "You've been invited",
    title: 'You are invited',
    ask: 'You have been invited to create an account.',
    action: 'Accept the invitation',
  },
  magic_link: {
    subject: 'Your sign-in link',
    title: 'Sign in',
    ask: 'Follow the link, or enter the code, to sign in.',
    action: 'Sign in',
  },
  recovery: {
    subject: 'Reset your password',
    title: 'Reset your password',
    ask: 'Follow the link, or enter the code, to choose a new password.',
    action: 'Reset password',
  },
  email_change: {
    subject: 'Confirm your new email address',
    title: 'Confirm the change of your email address',
    ask: 'Follow the link, or enter the code, to change your address from {{ .Email }} to {{ .NewEmail }}.',
    action: 'Confirm the change',
  },
  reauthentication: {
    subject: '{{ .Token }} is your verification code',
    title: 'Confirm that it is you',
    ask: 'Enter this code to go on.',
    action: null,
  },
};

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&#34;',
  "'": '&#39;',
};

/** Escapes text for HTML. */
export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (char) => escapes[char] ?? char);

function lookUp(fields: MailFields, path: string): string {
  let value: unknown = fields;
  for (const name of path.split('.').filter(Boolean))
    value =
      typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Fills the placeholders of a Go template: fields, and `if`/`else` on a field. */
export function fillTemplate(
  template: string,
  fields: MailFields,
  escape: (text: string) => string = (text) => text,
): string {
  const conditional =
    /\{\{-?\s*if\s+\.([\w.]+)\s*-?\}\}([\s\S]*?)(?:\{\{-?\s*else\s*-?\}\}([\s\S]*?))?\{\{-?\s*end\s*-?\}\}/g;
  return template
    .replace(conditional, (_, path: string, then: string, otherwise = '') =>
      lookUp(fields, path) ? then : otherwise,
    )
    .replace(/\{\{-?\s*\.([\w.]+)\s*-?\}\}/g, (_, path: string) => escape(lookUp(fields, path)));
}

const defaultHtml = ({ title, ask, action }: Template): string =>
  [
    `<h2>${title}</h2>`,
    `<p>${ask}</p>`,
    ...(action === null ? [] : [`<p><a href="{{ .ConfirmationURL }}">${action}</a></p>`]),
    `<p>Code: <strong>{{ .Token }}</strong></p>`,
    '<p>If you did not ask for this, ignore this mail.</p>',
  ].join('\n');

/** Renders a mail; `project` is the project's own HTML template, or null. */
export function renderMail(
  kind: MailKind,
  project: string | null,
  fields: MailFields,
): { readonly subject: string; readonly html: string; readonly text: string } {
  const template = templates[kind];
  const { title, ask, action, subject } = template;
  const lines = [
    title,
    ask,
    ...(action === null ? [] : [`${action}: {{ .ConfirmationURL }}`]),
    'Code: {{ .Token }}',
  ];
  return {
    subject: fillTemplate(subject, fields),
    html: fillTemplate(project ?? defaultHtml(template), fields, escapeHtml),
    text: fillTemplate(lines.join('\n\n'), fields),
  };
}
