import { useEffect, useEffectEvent, useState, type Ref } from 'react';
import { IconButton } from '../button.tsx';
import { CloseIcon, SearchIcon } from '../icons.tsx';
import { Spinner } from '../spinner.tsx';
import styles from './search-field.module.css';

/** The pause in typing after which the words are searched for. */
const pauseMs = 200;

export interface SearchFieldProps {
  /** The query in the URL; empty: none. */
  readonly query: string;
  /** The words as they are searched for. */
  readonly normalize: (text: string) => string;
  readonly label: string;
  readonly clearLabel: string;
  /** How many results there are, in words; empty while they are read, and without a query. */
  readonly found: string;
  readonly isSearching: boolean;
  readonly onSearch: (query: string) => void;
  /** Called when Escape leaves the empty field. */
  readonly onLeave: () => void;
  readonly ref?: Ref<HTMLInputElement>;
}

/** Searches the list while the user types. Escape clears the field, and leaves it when it is empty. */
export function SearchField(props: SearchFieldProps) {
  const { query, normalize, label, clearLabel, found, isSearching, onSearch, onLeave, ref } = props;
  const [text, setText] = useState(query);
  const [known, setKnown] = useState(query);
  // Back, Forward and links change the query from outside.
  if (query !== known) {
    setKnown(query);
    if (normalize(text) !== query) setText(query);
  }
  const wanted = normalize(text);
  const search = useEffectEvent(onSearch);
  useEffect(() => {
    if (wanted === query) return;
    const timer = setTimeout(() => search(wanted), pauseMs);
    return () => clearTimeout(timer);
  }, [wanted, query]);
  const clear = () => {
    setText('');
    if (query !== '') onSearch('');
  };
  return (
    <div role="search" className={styles.field}>
      <SearchIcon size={16} />
      <input
        ref={ref}
        className={styles.input}
        type="search"
        enterKeyHint="search"
        autoComplete="off"
        maxLength={200}
        aria-label={label}
        placeholder={label}
        value={text}
        onChange={({ currentTarget }) => setText(currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && wanted !== query) onSearch(wanted);
          if (event.key !== 'Escape') return;
          event.preventDefault();
          if (text !== '') return clear();
          event.currentTarget.blur();
          onLeave();
        }}
      />
      <span role="status" className={styles.count}>
        {found}
      </span>
      {isSearching && query !== '' && <Spinner />}
      {text !== '' && <IconButton label={clearLabel} icon={<CloseIcon size={16} />} onClick={clear} />}
    </div>
  );
}
