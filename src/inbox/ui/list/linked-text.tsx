import type { MouseEvent } from 'react';
import { splitAtAddresses } from './text-addresses.ts';

export interface LinkedTextProps {
  readonly text: string;
  /** Called when a link is followed; may prevent that. */
  readonly onFollow: (event: MouseEvent, url: URL) => void;
}

/** The unchanged text, with its http(s) addresses as links. */
export function LinkedText({ text, onFollow }: LinkedTextProps) {
  return splitAtAddresses(text).map(({ text: part, url, start }) =>
    url ? (
      <a
        key={start}
        href={url.href}
        dir="ltr"
        rel="noopener noreferrer"
        onClick={(event) => onFollow(event, url)}
        // The middle button follows a link, too.
        onAuxClick={(event) => event.button === 1 && onFollow(event, url)}
      >
        {part}
      </a>
    ) : (
      part
    ),
  );
}
