import type { Factor } from 'supabase-protocol-clients/auth-client';
import { useClients } from '../../../shared/clients/clients-context.ts';
import { loadRecoveryCodes } from '../../../shared/load-recovery-codes.ts';
import { TextField } from '../../../ui/form/text-field.tsx';
import { useForm, type FormProblem } from '../../../ui/form/use-form.ts';
import { toasts } from '../../../ui/state/toasts.ts';
import { navigate } from 'wouter/use-browser-location';
import { links } from '../../../shared/routes.ts';
import { authTexts } from '../auth-texts.ts';
import { SubmitForm } from '../../../ui/form/submit-form.tsx';

/** The length of the database's codes; those of the auth service are longer. */
const shortestCodeLength = 12;

/** Signs in with a recovery code instead of the second factor, after which `App` redirects. */
export function RecoveryForm({ factors }: { readonly factors: readonly Factor[] | null | undefined }) {
  const texts = authTexts.use().recovery;
  const clients = useClients();
  const send = async (code: string): Promise<FormProblem<'recoveryCode'> | undefined> => {
    const result = await (await loadRecoveryCodes(clients, factors)).use(code);
    if (result.outcome !== 'accepted') {
      if (result.outcome === 'invalid') return { fields: { recoveryCode: texts.invalid } };
      const { retryAfterSeconds } = result;
      return { message: texts.limited, ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) };
    }
    if (result.unused !== null)
      toasts.show(texts.done(result.unused), {
        action: { label: texts.replace, run: () => navigate(`${links.account}#two-step`) },
      });
    return undefined;
  };
  const form = useForm({
    initial: { recoveryCode: '' },
    validate: ({ recoveryCode }) => ({
      recoveryCode:
        recoveryCode.replace(/[^\da-z]/gi, '').length < shortestCodeLength ? texts.missing : undefined,
    }),
    submit: ({ recoveryCode }) =>
      send(recoveryCode).catch((problem: unknown) => {
        clients.platform.report(problem);
        return { message: texts.failed };
      }),
  });
  return (
    <SubmitForm form={form} submit={texts.submit}>
      <TextField
        label={texts.code}
        hint={texts.hint}
        required
        autoComplete="off"
        autoCapitalize="characters"
        autoCorrect="off"
        spellCheck={false}
        maxLength={40}
        {...form.field('recoveryCode')}
      />
      <p>{texts.explain}</p>
    </SubmitForm>
  );
}
