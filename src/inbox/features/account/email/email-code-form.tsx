import { runFormAction } from '../../../shared/auth-problem/auth-problem.ts';
import { useClients } from '../../../shared/clients/clients-context.ts';
import { Button } from '../../../ui/button.tsx';
import { checkCode, compactCode } from '../../../ui/form/credential-rules.ts';
import { credentialTexts } from '../../../ui/form/credential-texts.ts';
import { FormMessages } from '../../../ui/page/message.tsx';
import { SlowNote } from '../../../ui/form/slow-note.tsx';
import { CodeField } from '../../../ui/form/text-field.tsx';
import { useForm } from '../../../ui/form/use-form.ts';
import styles from '../account.module.css';
import { accountTexts } from '../account-texts.ts';

export interface EmailCodeFormProps {
  /** The address that received the code. */
  readonly address: string;
  /** The new address. */
  readonly next: string;
  /** Called with the new address when the change is complete, with null after the first confirmation. */
  readonly onConfirmed: (address: string | null) => Promise<void>;
}

/** Confirms one half of an email change by its code. */
export function EmailCodeForm({ address, next, onConfirmed }: EmailCodeFormProps) {
  const texts = accountTexts.use();
  const rules = credentialTexts.use();
  const { auth } = useClients();
  const form = useForm({
    initial: { code: '' },
    validate: ({ code }) => ({ code: checkCode(code, rules) }),
    submit: ({ code }) =>
      runFormAction(['code'], async () => {
        const proof = { type: 'email_change', email: address, token: compactCode(code) } as const;
        const { session } = await auth.verifyOtp(proof);
        await onConfirmed(session ? next : null);
      }),
  });
  return (
    <form {...form.props} className={styles.form}>
      <FormMessages error={form.problem} />
      <CodeField label={texts.codeSentTo(address)} maxLength={12} required {...form.field('code')} />
      <Button type="submit" pending={form.pending}>
        {texts.confirm}
      </Button>
      <SlowNote pending={form.pending} />
    </form>
  );
}
