import { useEffect, useState } from 'react';
import { useLocation } from 'wouter';
import { useRegisteredKinds } from '../../../shared/registered-kinds.ts';
import { Button } from '../../../ui/button.tsx';
import { Choice } from '../../../ui/choice.tsx';
import layout from '../../../ui/layout.module.css';
import { Dialog } from '../../../ui/overlay/dialog.tsx';
import { useInbox, useInboxSnapshot } from '../data/inbox-context.ts';
import { inboxHref, type NotificationFilter } from '../model/notification-filter.ts';
import type { Notification } from '../model/notification.ts';
import { inboxDialogTexts } from '../texts/inbox-dialog-texts.ts';
import { inboxTexts } from '../texts/inbox-texts.ts';
import { listKinds, personName } from './filter-options.ts';

export interface FilterSheetProps {
  readonly filter: NotificationFilter;
  readonly onClose: () => void;
}

/** Narrows the list by type and person. The people are the recent ones; offline those of the loaded rows. */
export function FilterSheet({ filter, onClose }: FilterSheetProps) {
  const texts = inboxTexts.use();
  const words = inboxDialogTexts.use().filter;
  useRegisteredKinds();
  const [, navigate] = useLocation();
  const { view, newest } = useInboxSnapshot();
  const inbox = useInbox();
  const [recent, setRecent] = useState<readonly Notification[]>([]);
  useEffect(() => void inbox.listRecentNames().then(setRecent), [inbox]);
  const rows = [...view.notifications, ...newest.notifications, ...recent];
  const choose = (chosen: NotificationFilter) => navigate(inboxHref(chosen), { replace: true });
  type Options = readonly (readonly [value: string, name: string])[];
  const choice = (part: 'kind' | 'person', label: string, options: Options) => (
    <Choice
      label={label}
      value={filter[part] ?? ''}
      options={[['', words.any], ...options]}
      onChange={(value) => choose({ ...filter, [part]: value })}
    />
  );
  const people = [...new Set([filter.person, ...rows.map((row) => row.senderId)])]
    .flatMap((id) => {
      const name = id && personName(rows, id);
      return id && name ? [[id, name] as const] : [];
    })
    .sort(([, one], [, other]) => one.localeCompare(other, texts.language));
  return (
    <Dialog open sheet onClose={onClose} title={texts.filter} closeLabel={texts.close}>
      <form className={layout.stack} onSubmit={(event) => (event.preventDefault(), onClose())}>
        {choice('kind', texts.kindsLabel, listKinds(texts))}
        {choice('person', words.person, people)}
        <div className={layout.actions}>
          <Button onClick={() => choose({ tab: filter.tab, kind: null, query: filter.query })}>
            {texts.showEverything}
          </Button>
          <Button type="submit" look="primary">
            {texts.selectDone}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
