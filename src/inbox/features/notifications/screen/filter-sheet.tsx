import { Link } from 'wouter';
import { Dialog } from '../../../ui/overlay/dialog.tsx';
import { buttonClass } from '../../../ui/button.tsx';
import type { NotificationCounts } from '../model/notification-counts.ts';
import { inboxHref, type NotificationFilter } from '../model/notification-filter.ts';
import { inboxTexts } from '../texts/inbox-texts.ts';
import { KindLinks } from './inbox-navigation.tsx';
import styles from './inbox.module.css';

export interface FilterSheetProps {
  readonly filter: NotificationFilter;
  readonly counts: NotificationCounts;
  readonly onClose: () => void;
}

/** The links of the kinds on screens that are too narrow for the rail. */
export function FilterSheet({ filter, counts, onClose }: FilterSheetProps) {
  const texts = inboxTexts.use();
  return (
    <Dialog open sheet onClose={onClose} title={texts.filter} closeLabel={texts.close}>
      <div className={styles.rail}>
        <KindLinks filter={filter} counts={counts} onChoose={onClose} />
        {filter.kind && (
          <Link
            className={buttonClass('secondary', true)}
            href={inboxHref({ ...filter, kind: null })}
            onClick={onClose}
          >
            {texts.showEverything}
          </Link>
        )}
      </div>
    </Dialog>
  );
}
