import { useEffect, useState, type FormEvent } from 'react';
import { useLocation } from 'wouter';
import { useRegisteredKinds } from '../../../shared/registered-kinds.ts';
import { Button } from '../../../ui/button.tsx';
import { Choice } from '../../../ui/choice.tsx';
import { TextField } from '../../../ui/form/text-field.tsx';
import layout from '../../../ui/layout.module.css';
import { Dialog } from '../../../ui/overlay/dialog.tsx';
import { useInbox, useInboxSnapshot } from '../data/inbox-context.ts';
import { inboxHref, type NotificationFilter } from '../model/notification-filter.ts';
import type { Notification } from '../model/notification.ts';
import { inboxDialogTexts } from '../texts/inbox-dialog-texts.ts';
import { inboxTexts } from '../texts/inbox-texts.ts';
import { listKinds, personName, placeName } from './filter-options.ts';
import { useSavedViews } from './saved-views.ts';

export interface FilterSheetProps {
  readonly filter: NotificationFilter;
  readonly onClose: () => void;
}

/** Narrows the list by type, reason, person and place. The people and places are the recent ones; offline those of the loaded rows. */
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
  const choice = (part: 'kind' | 'reason' | 'person' | 'place', label: string, options: Options) => (
    <Choice
      label={label}
      value={filter[part] ?? ''}
      options={[['', words.any], ...options]}
      onChange={(value) => choose({ ...filter, [part]: value })}
    />
  );
  /** The values in the loaded rows that have a name, by their names. */
  const named = (ids: readonly (string | null | undefined)[], nameOf: typeof personName) =>
    [...new Set(ids)]
      .flatMap((id) => {
        const name = id && nameOf(rows, id);
        return id && name ? [[id, name] as const] : [];
      })
      .sort(([, one], [, other]) => one.localeCompare(other, texts.language));
  const people = named([filter.person, ...rows.map((row) => row.senderId)], personName);
  const places = named([filter.place, ...rows.map((row) => row.thread)], placeName);
  return (
    <Dialog open sheet onClose={onClose} title={texts.filter} closeLabel={texts.close}>
      <form className={layout.stack} onSubmit={(event) => (event.preventDefault(), onClose())}>
        {choice('kind', texts.kindsLabel, listKinds(texts))}
        {choice('reason', words.reason, [['needs-you', texts.needsYou]])}
        {choice('person', words.person, people)}
        {choice('place', words.place, places)}
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

/** Asks for the name of a view. */
export function SaveViewDialog({ filter, onClose }: FilterSheetProps) {
  const texts = inboxTexts.use();
  const words = inboxDialogTexts.use().filter;
  const views = useSavedViews();
  const [value, setValue] = useState('');
  const save = (event: FormEvent) => {
    event.preventDefault();
    if (value.trim() === '') return;
    views.save(value.trim(), filter);
    onClose();
  };
  return (
    <Dialog open sheet onClose={onClose} title={texts.saveView} closeLabel={texts.close}>
      <form className={layout.stack} onSubmit={save}>
        <TextField
          label={words.viewName}
          value={value}
          maxLength={40}
          onChange={({ currentTarget }) => setValue(currentTarget.value)}
        />
        <div className={layout.actions}>
          <Button onClick={onClose}>{texts.cancel}</Button>
          <Button type="submit" look="primary">
            {words.save}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
