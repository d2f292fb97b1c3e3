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
 * Selects audits by set, service or id.
 *
 * @param only services (both areas, `auth` and `auth-client`), areas and ids of audits, separated by commas.
 * @throws {Error} if one of them names no audit, or no audit matches.
 */
export function chooseAudits({
  only,
  set,
}: {
  readonly only?: string | undefined;
  readonly set?: string | undefined;
}): readonly Audit[] {
  const areas = [...new Set(audits.map(({ area }) => area))];
  const isNamed = ({ area, id }: Audit, name: string) => [id, area, serviceOf(area)].includes(name);
  const names = only?.split(',').map((name) => name.trim());
  const unknown = names?.filter((name) => !audits.some((audit) => isNamed(audit, name))) ?? [];
  if (unknown.length > 0)
    throw new Error(
      `--only: no audits are named ${unknown.join(', ')}. It takes ids of docs/audits.md and areas: ${areas.join(', ')}`,
    );
  const chosen = audits.filter(
    (audit) =>
      (!names || names.some((name) => isNamed(audit, name))) &&
      (set === undefined || setOf(audit.area) === set),
  );
  if (chosen.length > 0) return chosen;
  throw new Error(`There are no such audits. Areas: ${areas.join(', ')}; sets: server, client`);
}
