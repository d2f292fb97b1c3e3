import { useSearch } from 'wouter';
import { useClients } from '../../shared/clients/clients-context.ts';
import { parseNext, paths } from '../../shared/routes.ts';

export interface Return {
  /** Where the person was going, for the links between the auth screens; undefined: to the inbox. */
  readonly next: string | undefined;
  /** Where mail links and providers lead back to. */
  readonly homeUrl: string;
  readonly resetUrl: string;
}

/** The specification's targets of mail links; a page that was asked for before travels along in `?next=`. */
export function useReturn(): Return {
  const { configuration } = useClients();
  const target = parseNext(useSearch(), location.origin);
  const next = target === paths.home ? undefined : target;
  const site = configuration.siteUrl ?? location.origin;
  return {
    next,
    homeUrl: `${site}${paths.home}${next ? `?${new URLSearchParams({ next })}` : ''}`,
    resetUrl: `${site}${paths.resetPassword}`,
  };
}
