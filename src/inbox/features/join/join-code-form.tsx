import { useLocation } from 'wouter';
import { links } from '../../shared/routes.ts';
import { PageHeading } from '../../ui/page/page-heading.tsx';
import { SubmitButton } from '../../ui/form/submit-button.tsx';
import { TextField } from '../../ui/form/text-field.tsx';
import { useForm } from '../../ui/form/use-form.ts';
import { parseInvitationCode } from './invitation.ts';
import styles from './join.module.css';
import { joinTexts } from './join-texts.ts';

/** `/join` without a token: takes a pasted link or code. */
export function JoinCodeForm() {
  const texts = joinTexts.use();
  const [, navigate] = useLocation();
  const form = useForm({
    initial: { code: '' },
    validate: ({ code }) => ({ code: parseInvitationCode(code) ? undefined : texts.codeInvalid }),
    async submit({ code }) {
      const token = parseInvitationCode(code);
      if (token) navigate(links.join(token));
      return undefined;
    },
  });
  return (
    <form {...form.props} className={styles.column}>
      <PageHeading>{texts.askTitle}</PageHeading>
      <p>{texts.askText}</p>
      <TextField label={texts.code} autoComplete="off" spellCheck={false} {...form.field('code')} />
      <SubmitButton pending={form.pending}>{texts.continue}</SubmitButton>
    </form>
  );
}
