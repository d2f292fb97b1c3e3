import { useState } from 'react';
import { AuthError } from 'supabase-protocol-clients/auth-client';
import { createMfa } from 'supabase-protocol-clients/auth-client/mfa';
import { runFormAction } from '../../../shared/auth-problem/auth-problem.ts';
import { useAuth } from 'supabase-protocol-clients/react';
import { useClients } from '../../../shared/clients/clients-context.ts';
import { Button } from '../../../ui/button.tsx';
import { authenticatorCodeLength, checkPassword } from '../../../ui/form/credential-rules.ts';
import { credentialTexts } from '../../../ui/form/credential-texts.ts';
import { PasswordField } from '../../../ui/form/password-field.tsx';
import { useForm } from '../../../ui/form/use-form.ts';
import { useSending } from '../../../ui/form/use-sending.ts';
import { Dialog } from '../../../ui/overlay/dialog.tsx';
import { FormMessages } from '../../../ui/page/message.tsx';
import layout from '../../../ui/layout.module.css';
import { accountTexts, type AccountTexts } from '../account-texts.ts';
import { SubmitForm } from '../../../ui/form/submit-form.tsx';
import { usePasskeys } from '../use-passkeys.ts';
import { PasskeyProof } from './passkey-proof.tsx';
import { CodeForm } from '../../../shared/auth-problem/code-form.tsx';

export type ProofPurpose = keyof AccountTexts['proof']['purposes'];

export interface ProofDialogProps {
  readonly purpose: ProofPurpose;
  readonly onProven: () => void;
  readonly onCancel: () => void;
}

/**
 * Shows why a proof is needed, and asks for it: for the app's code if the account has a second factor, else for the password
 * or a mailed code. A passkey of the account is accepted, too.
 */
export function ProofDialog({ purpose, onProven, onCancel }: ProofDialogProps) {
  const texts = accountTexts.use();
  const { user } = useAuth();
  const factor = user?.factors?.find(
    ({ status, factor_type }) => status === 'verified' && factor_type === 'totp',
  );
  const hasPassword = user?.identities?.some(({ provider }) => provider === 'email') ?? false;
  const [byMail, setByMail] = useState(!hasPassword);
  const email = user?.email ?? '';
  const { client, passkeys } = usePasskeys();
  return (
    <Dialog open title={texts.proof.title} closeLabel={texts.close} onClose={onCancel}>
      <div className={layout.stack}>
        <p>{texts.proof.reason(texts.proof.purposes[purpose])}</p>
        <p className={layout.hint}>{texts.proof.account(email)}</p>
        {factor ? (
          <AppProof factorId={factor.id} onProven={onProven} />
        ) : byMail ? (
          <MailProof email={email} onProven={onProven} />
        ) : (
          <PasswordProof email={email} onProven={onProven} onMail={() => setByMail(true)} />
        )}
        {user && passkeys.length > 0 && client.isSupported() && (
          <PasskeyProof userId={user.id} onProven={onProven} />
        )}
      </div>
    </Dialog>
  );
}

interface ProofProps {
  readonly onProven: () => void;
}

function AppProof({ factorId, onProven }: ProofProps & { readonly factorId: string }) {
  const texts = accountTexts.use();
  const { auth } = useClients();
  const prove = async (code: string) => {
    await createMfa(auth).challengeAndVerify({ factorId, code });
    onProven();
  };
  return (
    <CodeForm label={texts.mfaCode} submit={texts.confirm} digits={authenticatorCodeLength} onCode={prove} />
  );
}

function PasswordProof({
  email,
  onProven,
  onMail,
}: ProofProps & { readonly email: string; readonly onMail: () => void }) {
  const texts = accountTexts.use();
  const rules = credentialTexts.use();
  const { auth } = useClients();
  const form = useForm({
    initial: { password: '' },
    validate: ({ password }) => ({ password: checkPassword(password, rules) }),
    async submit({ password }) {
      let isWrong = false;
      const failure = await runFormAction(['password'], async () => {
        try {
          await auth.signInWithPassword({ email, password });
          onProven();
        } catch (problem) {
          // The usual message names the email as well, which this form has no field for.
          isWrong = problem instanceof AuthError && problem.code === 'invalid_credentials';
          if (!isWrong) throw problem;
        }
      });
      return isWrong ? { fields: { password: texts.proof.wrongPassword } } : failure;
    },
  });
  return (
    <>
      <SubmitForm form={form} submit={texts.confirm}>
        <input type="text" name="username" autoComplete="username" value={email} readOnly hidden />
        <PasswordField
          label={texts.password}
          autoComplete="current-password"
          required
          {...form.field('password')}
        />
      </SubmitForm>
      <Button look="link" onClick={onMail}>
        {texts.proof.byMail}
      </Button>
    </>
  );
}

function MailProof({ email, onProven }: ProofProps & { readonly email: string }) {
  const texts = accountTexts.use();
  const { auth } = useClients();
  const sending = useSending();
  const send = () => runFormAction([], () => auth.signInWithOtp({ email, createUser: false }));
  const prove = async (token: string) => {
    await auth.verifyOtp({ type: 'email', email, token });
    onProven();
  };
  return (
    <>
      <FormMessages error={sending.problem} success={sending.hasSent && texts.codeSent} />
      {sending.hasSent ? (
        <CodeForm label={texts.codeSentTo(email)} submit={texts.confirm} onCode={prove} />
      ) : (
        <Button look="primary" wide pending={sending.pending} onClick={() => void sending.send(send)}>
          {texts.proof.send(email)}
        </Button>
      )}
    </>
  );
}
