import { useEffect, useRef } from 'react';
import { useInbox, useInboxSnapshot } from '../data/inbox-context.ts';
import { SearchField, type SearchFieldProps } from '../search/search-field.tsx';
import styles from './inbox.module.css';

export interface InboxSearchProps extends Omit<SearchFieldProps, 'ref'> {
  /** Grows whenever the user wants to search; 0: phones hide the empty field. */
  readonly calls: number;
}

/** The search field, whose results follow changes of the inbox. */
export function InboxSearch({ calls, ...search }: InboxSearchProps) {
  const field = useRef<HTMLInputElement>(null);
  useLiveResults();
  useEffect(() => {
    if (calls === 0) return;
    field.current?.focus();
    field.current?.select();
  }, [calls]);
  return (
    <div className={styles.search} data-open={calls > 0 || search.query !== '' || undefined}>
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
