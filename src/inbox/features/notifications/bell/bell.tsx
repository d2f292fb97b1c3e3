import { useEffect } from 'react';
import { Link } from 'wouter';
import { Badge } from '../../../ui/badge.tsx';
import { Button, buttonClass } from '../../../ui/button.tsx';
import { classNames } from '../../../ui/state/class-names.ts';
import { BellIcon } from '../../../ui/icons.tsx';
import { Popover } from '../../../ui/overlay/popover.tsx';
import styles from './bell.module.css';
import { useInboxSnapshot } from '../data/inbox-context.ts';
import { unfiltered, inboxHref } from '../model/notification-filter.ts';
import { inboxTexts } from '../texts/inbox-texts.ts';
import { onDemand } from '../../../ui/state/loader.ts';
import { PartBoundary } from '../../../ui/overlay/part-boundary.tsx';

const loadPanel = () => import('./bell-panel.tsx');
const BellPanel = onDemand(async () => (await loadPanel()).BellPanel);

function preloadPanel(): void {
  loadPanel().catch(() => undefined);
}

/** The bell with the number of unread notifications: on wide screens it opens them, on phones it is a link. */
export function Bell() {
  const texts = inboxTexts.use();
  const { counts, isVerified } = useInboxSnapshot();
  const { unread } = counts;
  // A click has to work offline. The inbox has this code already.
  useEffect(() => (isVerified ? preloadPanel() : undefined), [isVerified]);
  const name = texts.bell(unread);
  const face = (
    <span className={styles.face}>
      <BellIcon />
      <span className={styles.badge}>
        <Badge count={unread} />
      </span>
    </span>
  );
  return (
    <>
      <Link
        className={classNames(buttonClass('quiet'), styles.bell, styles.link)}
        href={inboxHref(unfiltered)}
        aria-label={name}
      >
        {face}
      </Link>
      <span className={styles.button}>
        <Popover
          label={texts.title}
          className={styles.panel}
          // eslint-disable-next-line react/no-unstable-nested-components -- a render function, not a component
          trigger={(trigger) => (
            <Button
              {...trigger}
              onPointerEnter={preloadPanel}
              look="quiet"
              className={styles.bell}
              aria-label={name}
            >
              {face}
            </Button>
          )}
        >
          {(close) => (
            <PartBoundary onFail={close}>
              <BellPanel onClose={close} />
            </PartBoundary>
          )}
        </Popover>
      </span>
    </>
  );
}
