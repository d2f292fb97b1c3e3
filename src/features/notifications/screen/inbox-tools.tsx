import { useEffect, useRef } from 'react';
import { useInbox, useInboxSnapshot } from '../data/inbox-context.ts';
import { SearchField } from '../search/search-field.tsx';
import type { SearchFieldProps } from '../search/search-field.tsx';
import styles from './inbox.module.css';
import { useInboxShortcuts } from './use-inbox-shortcuts.ts';
import type { InboxShortcutsOptions } from './use-inbox-shortcuts.ts';

export interface InboxToolsProps extends InboxShortcutsOptions {
  readonly search: Omit<SearchFieldProps, 'ref'>;
  /** Grows whenever the user wants to search; 0: phones hide the empty field. */
  readonly searchCalls: number;
}

/** The search field and the keys, loaded beside the first list. */
export function InboxTools({ search, searchCalls, ...shortcuts }: InboxToolsProps) {
  const field = useRef<HTMLInputElement>(null);
  useInboxShortcuts(shortcuts);
  useLiveResults(search.query);
  useEffect(() => {
    if (searchCalls === 0) return;
    field.current?.focus();
    field.current?.select();
  }, [searchCalls]);
  return (
    <div className={styles.search} data-open={searchCalls > 0 || search.query !== '' || undefined}>
      <SearchField {...search} ref={field} />
    </div>
  );
}

/** Notifications that arrive together lead to one search. */
const arrivalPauseMs = 500;

/** Searches again when notifications were added or deleted: only the server can match words. */
function useLiveResults(query: string): void {
  const inbox = useInbox();
  const { counts, view } = useInboxSnapshot();
  const total = counts.all + counts.archived + counts.snoozed;
  const { isLoaded } = view;
  const searched = useRef({ query, total });
  useEffect(() => {
    // The results of a new query, or of totals that were just loaded, are the server's latest.
    if (query !== searched.current.query || !isLoaded) searched.current = { query, total };
    if (query === '' || total === searched.current.total) return undefined;
    const timer = setTimeout(() => {
      searched.current = { query, total };
      void inbox.refresh();
    }, arrivalPauseMs);
    return () => clearTimeout(timer);
  }, [inbox, query, total, isLoaded]);
}
