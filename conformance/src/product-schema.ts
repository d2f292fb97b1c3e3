import { createAuditContext } from './audit-context.ts';
import type { ConformanceTarget } from './target.ts';
import { at, parseJson } from './wire.ts';

/** PostgREST's codes for a relation and for a function that it does not have. */
const UNKNOWN_TO_REST: ReadonlySet<unknown> = new Set(['PGRST205', 'PGRST202']);

/** What `protocol/product.md` describes; audits name unknown relations too, and expect to be refused. */
const OWN_NAMES =
  /\bpublic\.(?:notification\w*|muted_threads|blocked_senders|invitations|\w+_invitation|unsubscribe\w*)\b/;

/** Whether an answer says that a table or a function of the product's schema is not there. */
export async function isMissingOwnName(response: Response): Promise<boolean> {
  if (response.status !== 404) return false;
  const json = parseJson(await response.clone().text());
  return UNKNOWN_TO_REST.has(at(json, 'code')) && OWN_NAMES.test(String(at(json, 'message')));
}

/** How a subscription to a table that is not there ends, and a join of a private topic without its policy. */
const NO_SUBSCRIPTION =
  /system ok arrives.*received .*system:error|permissions to read from this Channel topic: user:/;

/** Whether the reason of a failure is that the product's schema is not there. */
export const isWithoutSubscription = (reason: string): boolean => NO_SUBSCRIPTION.test(reason);

export const needsSchema = (section: string): string =>
  `needs the schema of ${section}, which the target lacks`;

/** Whether the target has the tables that most audits of REST and realtime use. */
export async function hasProductSchema(target: ConformanceTarget): Promise<boolean> {
  if (target.restUrl === null) return true;
  const { rest } = createAuditContext(target);
  const { json } = await rest.send('GET', '/notifications', { query: { select: 'id', limit: '0' } });
  return !UNKNOWN_TO_REST.has(at(json, 'code'));
}
