import type { Passkey, Passkeys } from 'supabase-protocol-clients/auth-client/passkeys';
import { runFormAction } from '../../../shared/auth-problem/auth-problem.ts';
import { TextField } from '../../../ui/form/text-field.tsx';
import { useForm } from '../../../ui/form/use-form.ts';
import { Dialog } from '../../../ui/overlay/dialog.tsx';
import { takeFocus } from '../take-focus.ts';
import { accountTexts } from '../account-texts.ts';
import { isMissingPasskey } from '../use-passkeys.ts';
import { SubmitForm } from '../../../ui/form/submit-form.tsx';

/** The server's limit, in bytes of UTF-8. */
const longestNameBytes = 120;

export interface PasskeyRenameProps {
  readonly client: Passkeys;
  readonly passkey: Passkey;
  readonly onClose: () => void;
  readonly onRenamed: (renamed: Passkey) => void;
  /** Called when the passkey was removed in the meantime. */
  readonly onMissing: () => void;
}

/** Asks for the new name of a passkey. */
export function PasskeyRename({ client, passkey, onClose, onRenamed, onMissing }: PasskeyRenameProps) {
  const { close, name: nameLabel, save, passkey: texts } = accountTexts.use();
  const form = useForm({
    initial: { name: passkey.friendlyName ?? '' },
    validate({ name }) {
      const bytes = new TextEncoder().encode(name.trim()).length;
      if (bytes === 0) return { name: texts.nameMissing };
      return { name: bytes > longestNameBytes ? texts.nameTooLong : undefined };
    },
    submit: ({ name }) =>
      runFormAction([], async () => {
        try {
          const request = { passkeyId: passkey.id, friendlyName: name.trim() };
          onRenamed({ ...passkey, ...(await client.renamePasskey(request)) });
        } catch (problem) {
          if (!isMissingPasskey(problem)) throw problem;
          onMissing();
        }
      }),
  });
  return (
    <Dialog open title={texts.renameTitle} closeLabel={close} onClose={onClose}>
      <SubmitForm form={form} submit={save}>
        <TextField
          ref={takeFocus}
          label={nameLabel}
          hint={texts.nameHint}
          required
          autoComplete="off"
          {...form.field('name')}
        />
      </SubmitForm>
    </Dialog>
  );
}
