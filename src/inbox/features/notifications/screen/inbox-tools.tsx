import { useEffect, useRef } from 'react';
import { useInbox, useInboxSnapshot } from '../data/inbox-context.ts';
import { SearchField } from '../search/search-field.tsx';
import type { SearchFieldProps } from '../search/search-field.tsx';
import { replayEarlyKeys } from './replay-early-keys.ts';
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
  useEffect(replayEarlyKeys, []);
  useLiveResults();
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

/** Changes that arrive together lead to one search. */
const changePauseMs = 500;

/** Searches again when a change may have altered the results. */
function useLiveResults(): void {
  const inbox = useInbox();
  const { outdatedBy } = useInboxSnapshot().view;
  useEffect(() => {
    if (outdatedBy === null) return;
    const timer = setTimeout(() => void inbox.refresh(), changePauseMs);
    return () => clearTimeout(timer);
  }, [inbox, outdatedBy]);
}
