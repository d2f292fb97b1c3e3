import { runFormAction } from '../../shared/auth-problem/auth-problem.ts';
import { useClients } from '../../shared/clients/clients-context.ts';
import { FormMessages } from '../../ui/page/message.tsx';
import { CountdownButton } from '../../ui/form/submit-button.tsx';
import { CodeField } from '../../ui/form/text-field.tsx';
import type { FieldBinding } from '../../ui/form/use-form.ts';
import { useSending } from '../../ui/form/use-sending.ts';
import { accountTexts } from './account-texts.ts';

/** The code of a reauthentication email. Any attempt spends it, even one that fails for another reason. */
export function ReauthenticationCode(field: FieldBinding) {
  const texts = accountTexts.use();
  const { auth } = useClients();
  const again = useSending(true);
  return (
    <>
      <FormMessages error={again.problem} success={again.hasSent && texts.codeSent} />
      <CodeField label={texts.reauthenticationCode} {...field} />
      <CountdownButton
        look="link"
        pending={again.pending}
        untilMs={again.nextAtMs}
        onClick={() => void again.send(() => runFormAction([], () => auth.reauthenticate()))}
      >
        {texts.sendCode}
      </CountdownButton>
    </>
  );
}
