import { useSearch } from 'wouter';
import { useConfiguration } from '../../shared/clients/clients-context.ts';
import { parseNext, paths } from '../../shared/routes.ts';

export interface ReturnUrls {
  /** The requested page, for the links between the auth screens; undefined: the inbox. */
  readonly next: string | undefined;
  /** Where mail links and providers return to. */
  readonly homeUrl: string;
  readonly resetUrl: string;
}

/** The targets of mail links (conformance/protocol/product.md#routes-of-the-application); `?next=` carries the requested page. */
export function useReturnUrls(): ReturnUrls {
  const configuration = useConfiguration();
  const target = parseNext(useSearch(), location.origin);
  const next = target === paths.home ? undefined : target;
  const site = configuration.siteUrl ?? location.origin;
  return {
    next,
    homeUrl: `${site}${paths.home}${next ? `?${new URLSearchParams({ next })}` : ''}`,
    resetUrl: `${site}${paths.resetPassword}`,
  };
}
