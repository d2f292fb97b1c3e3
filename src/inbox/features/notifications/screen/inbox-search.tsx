import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { IconButton } from '../../../ui/button.tsx';
import { CloseIcon, SearchIcon } from '../../../ui/icons.tsx';
import { Spinner } from '../../../ui/spinner.tsx';
import { useInbox, useInboxSnapshot } from '../data/inbox-context.ts';
import { normalizeQuery } from '../model/notification-filter.ts';
import { inboxTexts } from '../texts/inbox-texts.ts';
import styles from './inbox-search.module.css';

const typingPauseMs = 200;
/** Changes that arrive together lead to one search. */
const changePauseMs = 500;

export interface InboxSearchProps {
  /** The query in the URL; empty: none. */
  readonly query: string;
  /** How many results are shown; null while they are read. */
  readonly resultCount: number | null;
  readonly hasMore: boolean;
  /** The number of requests to search; at 0, phones hide the empty field. */
  readonly calls: number;
  readonly onSearch: (query: string) => void;
  /** Called when Escape leaves the empty field. */
  readonly onLeave: () => void;
}

/** Searches the list while the user types, and again when the inbox changes. Escape clears the field, and leaves it when it is empty. */
export function InboxSearch({ query, resultCount, hasMore, calls, onSearch, onLeave }: InboxSearchProps) {
  const texts = inboxTexts.use();
  const inbox = useInbox();
  const { isReading, view } = useInboxSnapshot();
  const field = useRef<HTMLInputElement>(null);
  const { text, words, setText } = useSearchText(query, onSearch);
  const { outdatedBy } = view;
  useEffect(() => {
    if (outdatedBy === null) return;
    const timer = setTimeout(() => void inbox.refresh(), changePauseMs);
    return () => clearTimeout(timer);
  }, [inbox, outdatedBy]);
  useEffect(() => {
    if (calls === 0) return;
    field.current?.focus();
    field.current?.select();
  }, [calls]);
  const clear = () => {
    setText('');
    if (query !== '') onSearch('');
  };
  return (
    <div className={styles.search} data-open={calls > 0 || query !== '' || undefined}>
      <div role="search" className={styles.field}>
        <SearchIcon size={16} />
        <input
          ref={field}
          className={styles.input}
          type="search"
          enterKeyHint="search"
          autoComplete="off"
          maxLength={200}
          aria-label={texts.search}
          placeholder={texts.search}
          value={text}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && words !== query) onSearch(words);
            if (event.key !== 'Escape') return;
            event.preventDefault();
            if (text !== '') return clear();
            event.currentTarget.blur();
            onLeave();
          }}
        />
        <span role="status" className={styles.count}>
          {query !== '' && resultCount !== null && texts.found(resultCount, hasMore)}
        </span>
        {isReading && query !== '' && <Spinner />}
        {text !== '' && (
          <IconButton label={texts.clearSearch} icon={<CloseIcon size={16} />} onClick={clear} />
        )}
      </div>
    </div>
  );
}

/** The text of the field; its words are searched after a pause. */
function useSearchText(query: string, onSearch: (query: string) => void) {
  const [text, setText] = useState(query);
  const [known, setKnown] = useState(query);
  const words = normalizeQuery(text);
  // Back, Forward and links change the query from outside.
  if (query !== known) {
    setKnown(query);
    if (words !== query) setText(query);
  }
  const search = useEffectEvent(onSearch);
  useEffect(() => {
    if (words === query) return;
    const timer = setTimeout(() => search(words), typingPauseMs);
    return () => clearTimeout(timer);
  }, [words, query]);
  return { text, words, setText };
}
