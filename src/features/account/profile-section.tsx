import { useState } from 'react';
import type { UnverifiedUser } from '../../auth-client/index.ts';
import { attempt } from '../../app/auth-problem.ts';
import { useClients } from '../../app/clients-context.ts';
import { FormMessages } from '../../ui/message.tsx';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { useForm } from '../../ui/use-form.ts';
import { accountTexts } from './account-texts.ts';
import styles from './account.module.css';
import { Section } from './section.tsx';

export function ProfileSection({ user }: { readonly user: UnverifiedUser }) {
  const texts = accountTexts.use();
  const { auth } = useClients();
  const [saved, setSaved] = useState(false);
  const known = user.user_metadata?.['name'];
  const form = useForm({
    initial: { name: typeof known === 'string' ? known : '' },
    validate: ({ name }) => ({ name: name.trim().length > 80 ? texts.nameTooLong : undefined }),
    async submit({ name }) {
      setSaved(false);
      const problem = await attempt(['name'], () => auth.updateUser({ data: { name: name.trim() } }));
      setSaved(problem === undefined);
      return problem;
    },
  });
  return (
    <Section title={texts.profile}>
      <form {...form.props} className={styles.form}>
        <FormMessages error={form.problem} success={saved && texts.saved} />
        <TextField label={texts.name} hint={texts.nameHint} autoComplete="name" {...form.field('name')} />
        <Button type="submit" pending={form.pending}>
          {texts.save}
        </Button>
      </form>
    </Section>
  );
}
