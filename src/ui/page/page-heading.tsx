import { useLayoutEffect, useRef, useState, type ReactNode } from 'react';
import { setPageTitle } from './page-title.ts';

let headingsShown = 0;

export interface PageHeadingProps {
  readonly children: ReactNode;
  /** Title of the document; needed where the heading is not plain text. */
  readonly title?: string;
  readonly className?: string;
}

/**
 * The one `h1` of a page. It names the document, and takes the focus when it appears, except on the page that
 * was loaded first: there the reader's focus is nobody else's business. Give it a `key` per state of a screen.
 */
export function PageHeading({ children, title, className }: PageHeadingProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  const [isFirst] = useState(() => headingsShown === 0);
  const isSettled = useRef(isFirst);
  const name = title ?? (typeof children === 'string' ? children : '');
  useLayoutEffect(() => {
    headingsShown += 1;
    // This runs once more when what had hidden the page, such as code under way, is over: that is no news.
    if (!isSettled.current) heading.current?.focus({ preventScroll: false });
    isSettled.current = true;
  }, []);
  useLayoutEffect(() => setPageTitle(name), [name]);
  return (
    <h1 ref={heading} tabIndex={-1} className={className}>
      {children}
    </h1>
  );
}
