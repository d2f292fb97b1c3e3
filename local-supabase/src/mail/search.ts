import type { ReceivedMail } from './mail.ts';

interface Term {
  readonly field: string;
  readonly value: string;
  readonly isNegated: boolean;
}

const TERM = /([-!])?(?:(\w+):)?(?:"([^"]*)"|(\S+))/g;

/**
 * Filters mails by a query in Mailpit's syntax: `to:`, `from:`, `subject:`, `is:read`, `is:unread` and quoted phrases.
 * `-` or `!` negates a term; a plain term matches any field.
 *
 * @see https://mailpit.axllent.org/docs/usage/search-filters/
 */
export function searchMails(mails: readonly ReceivedMail[], query: string): ReceivedMail[] {
  const terms = parseQuery(query);
  return mails.filter((mail) => terms.every((term) => matches(mail, term) !== term.isNegated));
}

function parseQuery(query: string): Term[] {
  return [...query.matchAll(TERM)].map(([, sign, field = '', phrase, word = '']) => ({
    field: field.toLowerCase(),
    value: (phrase ?? word).toLowerCase(),
    isNegated: sign !== undefined,
  }));
}

function matches(mail: ReceivedMail, { field, value }: Term): boolean {
  const { from, to, subject, text, isRead } = mail;
  const has = (...texts: readonly string[]) => texts.some((hay) => hay.toLowerCase().includes(value));
  switch (field) {
    case 'to':
    case 'addressed':
      return has(to.address, to.name);
    case 'from':
      return has(from.address, from.name);
    case 'subject':
      return has(subject);
    case 'is':
      return value === 'read' ? isRead : value === 'unread' && !isRead;
    default:
      return has(to.address, to.name, from.address, from.name, subject, text);
  }
}
