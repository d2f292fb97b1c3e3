import { useState, type FormEvent } from 'react';
import { useLocation } from 'wouter';
import { useRegisteredKinds } from '../../../shared/registered-kinds.ts';
import { Button } from '../../../ui/button.tsx';
import { Choice } from '../../../ui/choice.tsx';
import { TextField } from '../../../ui/form/text-field.tsx';
import layout from '../../../ui/layout.module.css';
import { Dialog } from '../../../ui/overlay/dialog.tsx';
import { useInboxSnapshot } from '../data/inbox-context.ts';
import { inboxHref, unfiltered, type NotificationFilter } from '../model/notification-filter.ts';
import { inboxDialogTexts } from '../texts/inbox-dialog-texts.ts';
import { inboxTexts } from '../texts/inbox-texts.ts';
import { listKinds, personName, placeName } from './filter-options.ts';
import { useSavedViews } from './saved-views.ts';

export interface FilterSheetProps {
  readonly filter: NotificationFilter;
  readonly onClose: () => void;
}

/** Narrows the list by type, reason, person and place. The people and places are those of the loaded rows. */
export function FilterSheet({ filter, onClose }: FilterSheetProps) {
  const texts = inboxTexts.use();
  const words = inboxDialogTexts.use().filter;
  useRegisteredKinds();
  const [, navigate] = useLocation();
  const { view, newest } = useInboxSnapshot();
  const { kind, reason = '', person = '', place = '' } = filter;
  const rows = [...view.notifications, ...newest.notifications];
  const choose = (change: Partial<NotificationFilter>) =>
    navigate(inboxHref({ ...filter, ...change }), { replace: true });
  const any = ['', words.any] as const;
  const options = (chosen: string, ids: readonly (string | null)[], nameOf: (id: string) => string | null) =>
    [chosen, ...ids].flatMap((id, at, all) => {
      const name = id && all.indexOf(id) === at ? nameOf(id) : null;
      return id && name ? [[id, name] as const] : [];
    });
  return (
    <Dialog open sheet onClose={onClose} title={texts.filter} closeLabel={texts.close}>
      <form className={layout.stack} onSubmit={(event) => (event.preventDefault(), onClose())}>
        <Choice
          label={texts.kindsLabel}
          value={kind ?? ''}
          options={[any, ...listKinds(texts).map(({ kind: name, label }) => [name, label] as const)]}
          onChange={(value) => choose({ kind: value || null })}
        />
        <Choice
          label={words.reason}
          value={reason}
          options={[any, ['needs-you', texts.needsYou]]}
          onChange={(value) => choose({ reason: value || undefined })}
        />
        <Choice
          label={words.person}
          value={person}
          options={[
            any,
            ...options(
              person,
              rows.map((row) => row.senderId),
              (id) => personName(rows, id),
            ),
          ]}
          onChange={(value) => choose({ person: value || undefined })}
        />
        <Choice
          label={words.place}
          value={place}
          options={[
            any,
            ...options(
              place,
              rows.map((row) => row.thread),
              (id) => placeName(rows, id),
            ),
          ]}
          onChange={(value) => choose({ place: value || undefined })}
        />
        <div className={layout.actions}>
          <Button
            onClick={() =>
              choose({
                ...unfiltered,
                tab: filter.tab,
                reason: undefined,
                person: undefined,
                place: undefined,
              })
            }
          >
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

export interface SaveViewDialogProps extends FilterSheetProps {
  /** A name to begin with. */
  readonly name: string;
}

/** Asks for the name of a view. */
export function SaveViewDialog({ filter, name, onClose }: SaveViewDialogProps) {
  const texts = inboxTexts.use();
  const words = inboxDialogTexts.use().filter;
  const views = useSavedViews();
  const [value, setValue] = useState(name);
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
