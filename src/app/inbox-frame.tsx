import type { ReactNode } from 'react';

export interface InboxSlots {
  readonly bell: ReactNode;
  readonly rail: ReactNode;
}

/** What lives as long as somebody is signed in: the data cache, the live notifications, and what shows them everywhere. */
export function InboxFrame({ children }: { readonly children: (slots: InboxSlots) => ReactNode }) {
  return children({ bell: null, rail: null });
}
