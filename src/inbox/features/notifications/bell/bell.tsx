import { useEffect } from 'react';
import { CountedIcon } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { BellIcon } from '../../../ui/icons.tsx';
import { Popover } from '../../../ui/overlay/popover.tsx';
import styles from './bell.module.css';
import { useInboxSnapshot } from '../data/inbox-context.ts';
import { inboxTexts } from '../texts/inbox-texts.ts';
import { onDemand } from '../../../ui/state/loader.ts';
import { PartBoundary } from '../../../ui/page/part-boundary.tsx';

const loadPanel = () => import('./bell-panel.tsx');
const BellPanel = onDemand(async () => (await loadPanel()).BellPanel);

function preloadPanel(): void {
  loadPanel().catch(() => undefined);
}

/** The bell with the number of unread notifications, which it opens. */
export function Bell() {
  const texts = inboxTexts.use();
  const { counts, isVerified } = useInboxSnapshot();
  const { unread } = counts;
  // A click has to work offline.
  useEffect(() => (isVerified ? preloadPanel() : undefined), [isVerified]);
  return (
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
            aria-label={texts.bell(unread)}
          >
            <CountedIcon count={unread}>
              <BellIcon />
            </CountedIcon>
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
  );
}
