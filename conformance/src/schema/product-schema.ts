import { createAuditContext, type AuditContext } from '../audit/audit-context.ts';
import type { ConformanceTarget } from '../target/target.ts';
import { at, parseJson } from '../target/wire.ts';

/** PostgREST's codes for an unknown relation and an unknown function. */
const UNKNOWN_TO_REST: ReadonlySet<unknown> = new Set(['PGRST205', 'PGRST202']);

/** The names in `protocol/product.md`; audits also use unknown names and expect errors. */
const OWN_NAMES =
  /\bpublic\.(?:notification\w*|muted_threads|blocked_senders|invitations|\w+_invitation|unsubscribe\w*)\b/;

/** Whether a response reports that a table or function of the product's schema does not exist. */
export async function isMissingOwnName(response: Response): Promise<boolean> {
  if (response.status !== 404) return false;
  const json = parseJson(await response.clone().text());
  return UNKNOWN_TO_REST.has(at(json, 'code')) && OWN_NAMES.test(String(at(json, 'message')));
}

/** The errors of a subscription to a missing table, and of a join of a private topic without its policy. */
const NO_SUBSCRIPTION =
  /system ok arrives.*received .*system:error|permissions to read from this Channel topic: user:/;

/** Whether a failure was caused by the missing schema of the product. */
export const isWithoutSubscription = (reason: string): boolean => NO_SUBSCRIPTION.test(reason);

export const needsSchema = (section: string): string =>
  `needs the schema of ${section}, which --apply-schema makes`;

/** Whether the target has the tables that most audits of REST and realtime use. */
export async function hasProductSchema(target: ConformanceTarget): Promise<boolean> {
  if (target.restUrl === null) return true;
  const { rest } = createAuditContext(target);
  const { json } = await rest.send('GET', '/notifications', { query: { select: 'id', limit: '0' } });
  return !UNKNOWN_TO_REST.has(at(json, 'code'));
}

/**
 * Reads a table of the product's schema, for audits that fail without it by another error than the REST service's.
 *
 * @throws NotRunError on a target that lacks the schema.
 */
export async function requireTable({ rest }: AuditContext, name: string): Promise<void> {
  await rest.send('GET', `/${name}`, { query: { limit: '0' } });
}
