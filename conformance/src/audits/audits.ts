import { serviceOf, setOf, type Audit } from '../audit/audit.ts';
import { anyAuthAudits } from './any-client/auth.audits.ts';
import { anyServiceAudits } from './any-client/services.audits.ts';
import { serverAudits } from './server-audits.ts';

/** The audits of the clients of `supabase-protocol-clients`; empty if that package is not installed. */
const clientAudits: readonly Audit[] = await import('./client-audits.ts').then(
  (loaded) => loaded.clientAudits,
  (problem: unknown) => {
    if (problem instanceof Error && /Cannot find package 'supabase-protocol-clients'/.test(problem.message))
      return [];
    throw problem;
  },
);

/** Audits of any client, through its adapter. */
export const portableAudits: readonly Audit[] = [...anyAuthAudits, ...anyServiceAudits];

export const hasClientAudits = clientAudits.length > 0;

/** Every audit, in the order of reports. */
export const audits: readonly Audit[] = [...serverAudits, ...portableAudits, ...clientAudits];

/**
 * Selects audits by set or service, or by ids.
 *
 * @param only a service (both of its areas, `auth` and `auth-client`), an area, or ids of audits, separated by commas.
 * @throws {Error} if no audit matches.
 */
export function chooseAudits({
  only,
  set,
}: {
  readonly only?: string | undefined;
  readonly set?: string | undefined;
}): readonly Audit[] {
  const chosen = audits.filter(
    ({ area, id }) =>
      (only === undefined || area === only || serviceOf(area) === only || only.split(',').includes(id)) &&
      (set === undefined || setOf(area) === set),
  );
  if (chosen.length > 0) return chosen;
  const areas = [...new Set(audits.map(({ area }) => area))];
  throw new Error(`There are no such audits. Areas: ${areas.join(', ')}; sets: server, client`);
}
