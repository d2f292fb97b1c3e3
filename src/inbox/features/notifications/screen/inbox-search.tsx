import { useEffect, useRef } from 'react';
import { useInbox, useInboxSnapshot } from '../data/inbox-context.ts';
import { SearchField, type SearchFieldProps } from '../../../ui/list/search-field.tsx';
import { normalizeQuery } from '../model/notification-filter.ts';
import { inboxTexts } from '../texts/inbox-texts.ts';
import styles from './inbox.module.css';

export interface InboxSearchProps extends Pick<
  SearchFieldProps,
  'query' | 'isSearching' | 'onSearch' | 'onLeave'
> {
  /** How many results are shown; null while they are read. */
  readonly resultCount: number | null;
  readonly hasMore: boolean;
  /** Grows whenever the user wants to search; 0: phones hide the empty field. */
  readonly calls: number;
}

/** The search field, whose results follow changes of the inbox. */
export function InboxSearch({ calls, resultCount, hasMore, ...search }: InboxSearchProps) {
  const texts = inboxTexts.use();
  const field = useRef<HTMLInputElement>(null);
  useLiveResults();
  useEffect(() => {
    if (calls === 0) return;
    field.current?.focus();
    field.current?.select();
  }, [calls]);
  return (
    <div className={styles.search} data-open={calls > 0 || search.query !== '' || undefined}>
      <SearchField
        {...search}
        ref={field}
        normalize={normalizeQuery}
        label={texts.search}
        clearLabel={texts.clearSearch}
        found={search.query === '' || resultCount === null ? '' : texts.found(resultCount, hasMore)}
      />
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
