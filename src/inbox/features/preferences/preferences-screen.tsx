import { useEffect, useSyncExternalStore, type ReactNode } from 'react';
import { Button } from '../../ui/button.tsx';
import { SlowNote } from '../../ui/form/slow-note.tsx';
import { Message } from '../../ui/page/message.tsx';
import { PageHeading } from '../../ui/page/page-heading.tsx';
import { Skeleton } from '../../ui/spinner.tsx';
import { VisuallyHidden } from '../../ui/visually-hidden.tsx';
import { isTemporary } from './preferences.ts';
import { PreferencesForm } from './preferences-form.tsx';
import layout from '../../ui/layout.module.css';
import styles from './preferences.module.css';
import { preferencesTexts } from './preferences-texts.ts';
import type { PreferencesStore } from './data/preferences-store.ts';
import { SenderSection } from './senders/sender-section.tsx';

/** Rows per section, about as many as it has switches and choices. */
const placeholderRows = [3, 8, 7, 2];

export interface PreferencesScreenProps {
  readonly store: PreferencesStore;
  /** Further sections. */
  readonly children?: ReactNode;
}

/** `/preferences`: kinds and channels of notifications. Each change is saved at once. */
export function PreferencesScreen({ store, children }: PreferencesScreenProps) {
  const texts = preferencesTexts.use();
  useEffect(() => store.ensure(), [store]);
  const snapshot = useSyncExternalStore(store.subscribe, store.getSnapshot);
  const { preferences, isReading, isOutdated, isSaving } = snapshot;
  const warning = isTemporary(preferences) ? texts.temporary : isOutdated && texts.outdated;
  return (
    <div className={layout.page}>
      <div className={styles.head}>
        <PageHeading>{texts.title}</PageHeading>
        <span className={styles.saving} aria-hidden="true">
          {isSaving && texts.saving}
        </span>
      </div>
      <div role="status">
        {warning && (
          <Message tone="warning">
            <span>{warning}</span>{' '}
            <Button look="link" pending={isReading} onClick={store.reload}>
              {texts.retry}
            </Button>
          </Message>
        )}
        {preferences === null && (
          <Message>
            <span>{texts.cleared}</span>{' '}
            <Button look="link" pending={isReading} onClick={store.reload}>
              {texts.restore}
            </Button>
          </Message>
        )}
      </div>
      {preferences && <PreferencesForm preferences={preferences} onChange={store.change} />}
      {preferences !== undefined && children}
      {preferences !== undefined && <SenderSection />}
      <SlowNote pending={preferences === undefined} />
      {preferences === undefined && (
        <div className={styles.placeholder}>
          <VisuallyHidden>
            <span role="status">{texts.loading}</span>
          </VisuallyHidden>
          {placeholderRows.map((count) => (
            <div key={count}>
              {Array.from({ length: count }, (_, index) => (
                <span key={index} className={styles.placeholderRow}>
                  <Skeleton width={`${24 + ((index * 17) % 24)}%`} height="12px" />
                  <Skeleton width="40px" height="24px" />
                </span>
              ))}
            </div>
          ))}
        </div>
      )}
    </div>
  );
}
