import * as z from 'zod/mini';
import { runFormAction } from '../../../shared/auth-problem/auth-problem.ts';
import { useClients, type Clients } from '../../../shared/clients/clients-context.ts';
import { TextField } from '../../../ui/form/text-field.tsx';
import { useForm, type FormProblem } from '../../../ui/form/use-form.ts';
import { toasts } from '../../../ui/overlay/toasts.ts';
import { navigate } from 'wouter/use-browser-location';
import { links } from '../../../shared/routes.ts';
import { authTexts, type AuthTexts } from '../auth-texts.ts';
import { SubmitForm } from '../../../ui/form/submit-form.tsx';

const codeLength = 12;

/** Signs in with a recovery code instead of the second factor, after which `App` redirects. */
export function RecoveryForm() {
  const texts = authTexts.use().recovery;
  const clients = useClients();
  const form = useForm({
    initial: { recoveryCode: '' },
    validate: ({ recoveryCode }) => ({
      recoveryCode: recoveryCode.replace(/[^\da-z]/gi, '').length === codeLength ? undefined : texts.missing,
    }),
    async submit({ recoveryCode }) {
      const sent = await sendRecoveryCode(recoveryCode, clients, texts);
      if ('problem' in sent) return sent.problem;
      // The session's next token has `aal2`.
      const failure = await runFormAction([], () => clients.auth.refreshSession());
      if (failure) return failure;
      if (sent.unused !== null)
        toasts.show(texts.done(sent.unused), {
          action: { label: texts.replace, run: () => navigate(`${links.account}#two-step`) },
        });
      return undefined;
    },
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

const answer = z.object({
  outcome: z.enum(['accepted', 'invalid', 'limited', 'no_factor']),
  unused: z.optional(z.number()),
  retry_after_seconds: z.optional(z.number()),
});

/** @returns the number of unused codes; null where the account has lost its second factor meanwhile. */
async function sendRecoveryCode(
  code: string,
  { loadRest, platform }: Clients,
  texts: AuthTexts['recovery'],
): Promise<{ readonly unused: number | null } | { readonly problem: FormProblem<'recoveryCode'> }> {
  try {
    const rest = await loadRest();
    const {
      outcome,
      unused,
      retry_after_seconds: retryAfterSeconds,
    } = z.parse(answer, await rest.rpc('use_recovery_code', { code }).execute());
    if (outcome === 'invalid') return { problem: { fields: { recoveryCode: texts.invalid } } };
    if (outcome === 'limited')
      return {
        problem: { message: texts.limited, ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) },
      };
    return { unused: outcome === 'accepted' ? (unused ?? 0) : null };
  } catch (problem) {
    platform.report(problem);
    return { problem: { message: texts.failed } };
  }
}
