import { useState } from 'react';
import type { UnverifiedUser } from 'supabase-protocol-clients/auth-client';
import { runFormAction } from '../../shared/auth-problem/auth-problem.ts';
import { useClients } from '../../shared/clients/clients-context.ts';
import { unsavedDraft } from '../../shared/unsaved-draft.ts';
import { TextField } from '../../ui/form/text-field.tsx';
import { useForm } from '../../ui/form/use-form.ts';
import { useKeptDraft } from './use-kept-draft.ts';
import { accountTexts } from './account-texts.ts';
import styles from './account.module.css';
import { Section } from '../../ui/section.tsx';
import { SubmitForm } from '../../ui/form/submit-form.tsx';

export function ProfileSection({ user }: { readonly user: UnverifiedUser }) {
  const texts = accountTexts.use();
  const { auth } = useClients();
  const keepDraft = useKeptDraft(user.id);
  const [saved, setSaved] = useState(false);
  const { name } = user.user_metadata ?? {};
  const known = typeof name === 'string' ? name : '';
  const form = useForm({
    initial: { name: unsavedDraft.get(user.id)?.['name'] ?? known },
    validate: ({ name }) => ({ name: name.trim().length > 80 ? texts.nameTooLong : undefined }),
    async submit({ name }) {
      setSaved(false);
      const problem = await keepDraft({ name }, () =>
        runFormAction(['name'], () => auth.updateUser({ data: { name: name.trim() } })),
      );
      setSaved(problem === undefined);
      return problem;
    },
  });
  // An unedited name follows the stored one: saving an old name would undo a change made elsewhere.
  const [shown, setShown] = useState(known);
  if (known !== shown) {
    setShown(known);
    if (form.values.name === shown) form.set('name', known);
  }
  return (
    <Section id="profile" title={texts.profile}>
      <SubmitForm
        form={form}
        className={styles.form}
        wide={false}
        look={form.values.name === known ? 'secondary' : 'primary'}
        submit={texts.save}
        success={saved && texts.saved}
      >
        <TextField label={texts.name} autoComplete="name" {...form.field('name')} />
      </SubmitForm>
    </Section>
  );
}
