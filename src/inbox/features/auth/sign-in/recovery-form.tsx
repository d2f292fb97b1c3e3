import * as z from 'zod/mini';
import { createFunctionsClient, FunctionsError } from 'supabase-protocol-clients/functions-client';
import { runFormAction } from '../../../shared/auth-problem/auth-problem.ts';
import { useClients, useConfiguration, type Clients } from '../../../shared/clients/clients-context.ts';
import type { Configuration } from '../../../shared/clients/env.ts';
import { TextField } from '../../../ui/form/text-field.tsx';
import { useForm, type FormProblem } from '../../../ui/form/use-form.ts';
import { toasts } from '../../../ui/overlay/toasts.ts';
import { navigate } from 'wouter/use-browser-location';
import { links } from '../../../shared/routes.ts';
import { authTexts, type AuthTexts } from '../auth-texts.ts';
import { SubmitForm } from '../../../ui/form/submit-form.tsx';

const codeLength = 12;
const timeoutMs = 20_000;

/** Signs in with a recovery code instead of the second factor. Afterwards the account has no factor, and `App` redirects. */
export function RecoveryForm() {
  const texts = authTexts.use().recovery;
  const clients = useClients();
  const configuration = useConfiguration();
  const form = useForm({
    initial: { recoveryCode: '' },
    validate: ({ recoveryCode }) => ({
      recoveryCode: recoveryCode.replace(/[^\da-z]/gi, '').length === codeLength ? undefined : texts.missing,
    }),
    async submit({ recoveryCode }) {
      const problem = await sendRecoveryCode(recoveryCode, clients, configuration, texts);
      if (problem) return problem;
      // The new session's user has no factor.
      const failure = await runFormAction([], () => clients.auth.refreshSession());
      if (failure) return failure;
      toasts.show(texts.done, {
        action: { label: texts.setUp, run: () => navigate(`${links.account}#two-step`) },
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

const refusal = z.object({ code: z.string() });

async function sendRecoveryCode(
  code: string,
  { auth, platform }: Clients,
  configuration: Configuration,
  texts: AuthTexts['recovery'],
): Promise<FormProblem<'recoveryCode'> | undefined> {
  const functions = createFunctionsClient({
    url: configuration.supabaseUrl,
    apiKey: configuration.supabaseAnonKey,
    platform,
    getAccessToken: auth.getAccessToken,
    timeoutMs,
  });
  try {
    await functions.invoke('mfa-recovery', { body: { code } });
    return undefined;
  } catch (problem) {
    const answer = problem instanceof FunctionsError ? refusal.safeParse(problem.body).data?.code : undefined;
    const seconds = problem instanceof FunctionsError ? problem.retryAfterSeconds : null;
    // An earlier request has removed the factors, and its answer was lost.
    if (answer === 'second_factor_missing') return undefined;
    if (answer === 'recovery_code_invalid') return { fields: { recoveryCode: texts.invalid } };
    if (answer === 'recovery_limit_exceeded')
      return { message: texts.limited, ...(seconds !== null && { retryAfterSeconds: seconds }) };
    platform.report(problem);
    return { message: texts.failed };
  }
}
