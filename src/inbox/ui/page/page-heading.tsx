import { useLayoutEffect, useRef, useState, type ReactNode } from 'react';
import { setPageTitle } from './page-title.ts';

let headingsShown = 0;

export interface PageHeadingProps {
  readonly children: ReactNode;
  /** Title of the document; required where the heading is not plain text. */
  readonly title?: string;
  readonly className?: string;
}

/**
 * The `h1` of a page. It sets the document's title and takes the focus when it mounts, except on the first page after a
 * load. Give it a `key` per state of a screen.
 */
export function PageHeading({ children, title, className }: PageHeadingProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  const [isFirst] = useState(() => headingsShown === 0);
  const isSettled = useRef(isFirst);
  const name = title ?? (typeof children === 'string' ? children : '');
  useLayoutEffect(() => {
    headingsShown += 1;
    // The effect runs again when a suspended page is revealed: do not move the focus then.
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
