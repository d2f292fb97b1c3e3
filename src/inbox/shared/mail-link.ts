import { paths, plainPath } from './routes.ts';

/** The types of links in mails, as `POST /verify` takes them together with a `token_hash`. */
export const mailLinkTypes = ['signup', 'invite', 'magiclink', 'email', 'recovery', 'email_change'] as const;
export type MailLinkType = (typeof mailLinkTypes)[number];

/** A link of a mail that has not been confirmed by its reader yet. */
export interface MailLink {
  readonly type: MailLinkType;
  /** Single-use: opens the account. Never log it, and send it to `/verify` only. */
  readonly tokenHash: string;
}

/** The pages that mails lead to (supabase/templates), and /login, which takes over links of signed-out readers. */
const mailLinkPaths: ReadonlySet<string> = new Set([
  paths.root,
  paths.home,
  paths.resetPassword,
  paths.account,
  paths.login,
]);

/**
 * Reads `token_hash` and `type` of a mail link. The templates put them into the fragment, which no web server logs; the
 * query is accepted too.
 *
 * @param href a URL of this application.
 */
export function parseMailLink(href: string): MailLink | null {
  const { pathname, hash, searchParams } = new URL(href);
  if (!mailLinkPaths.has(plainPath(pathname))) return null;
  const fragment = new URLSearchParams(hash.slice(1));
  const parameters = fragment.has('token_hash') ? fragment : searchParams;
  const tokenHash = parameters.get('token_hash') ?? '';
  const type = mailLinkTypes.find((known) => known === parameters.get('type'));
  return type && /^[\w-]{16,}$/.test(tokenHash) ? { type, tokenHash } : null;
}

/** Path, query and fragment of a URL without the mail link in it. */
export function withoutMailLink(href: string): string {
  const { pathname, hash, searchParams } = new URL(href);
  const isInFragment = new URLSearchParams(hash.slice(1)).has('token_hash');
  if (!isInFragment) for (const name of ['token_hash', 'type']) searchParams.delete(name);
  const query = searchParams.size > 0 ? `?${searchParams}` : '';
  return pathname + query + (isInFragment ? '' : hash);
}

/** The fragment that carries a mail link to another page. */
export function encodeMailLink({ type, tokenHash }: MailLink): string {
  return `#${new URLSearchParams({ token_hash: tokenHash, type })}`;
}
