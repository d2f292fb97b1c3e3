import { useRef } from 'react';
import type { AuthClient, Factor } from 'supabase-protocol-clients/auth-client';
import { createMfa, type EnrolledFactor } from 'supabase-protocol-clients/auth-client/mfa';
import { runFormAction } from '../../../shared/auth-problem/auth-problem.ts';
import { useClients } from '../../../shared/clients/clients-context.ts';
import { loadRecoveryCodes } from '../../../shared/load-recovery-codes.ts';
import { Button } from '../../../ui/button.tsx';
import { authenticatorCodeLength, checkCode, compactCode } from '../../../ui/form/credential-rules.ts';
import { credentialTexts } from '../../../ui/form/credential-texts.ts';
import { FormMessages } from '../../../ui/page/message.tsx';
import { productName } from '../../../ui/page/page-title.ts';
import { CountdownButton } from '../../../ui/form/submit-button.tsx';
import { CodeField, TextField } from '../../../ui/form/text-field.tsx';
import { useCopy } from '../../../ui/state/use-copy.ts';
import { useForm } from '../../../ui/form/use-form.ts';
import { accountTexts } from '../account-texts.ts';
import { createAccountApi } from '../account-api.ts';
import layout from '../../../ui/layout.module.css';
import styles from '../account.module.css';
import { takeFocus } from '../take-focus.ts';

/** Removes unfinished enrollments and begins one, under a name that no other factor has: `Phone`, `Phone 2`. */
export async function startEnrollment(auth: AuthClient, name: string): Promise<EnrolledFactor> {
  const mfa = createMfa(auth);
  const { all } = await mfa.listFactors();
  const isUnfinished = ({ status, factor_type }: Factor) => status !== 'verified' && factor_type === 'totp';
  for (const { id } of all.filter(isUnfinished)) await mfa.unenroll({ factorId: id });
  const names = new Set(all.filter((factor) => !isUnfinished(factor)).map((factor) => factor.friendly_name));
  let free = name;
  for (let number = 2; names.has(free); number += 1) free = `${name} ${number}`;
  return mfa.enroll({ factorType: 'totp', friendlyName: free, issuer: productName });
}

export interface MfaEnrollmentProps {
  readonly factor: EnrolledFactor;
  readonly otherNames: readonly (string | null | undefined)[];
  /** The account has no verified factor yet: recovery codes are created with it. */
  readonly isFirst: boolean;
  /** @param codes the recovery codes that were created; null: none, or their creation failed. */
  readonly onAdded: (name: string, codes: readonly string[] | null) => Promise<void>;
  readonly onCancel: () => void;
}

/** The QR code, a code from the app as proof, and the name of the device. */
export function MfaEnrollment(props: MfaEnrollmentProps) {
  const texts = accountTexts.use();
  const { factor, onCancel } = props;
  const form = useEnrollmentForm(props);
  return (
    <form {...form.props} className={styles.form}>
      <h3 ref={takeFocus} tabIndex={-1}>
        {texts.mfaScan}
      </h3>
      {factor.totp && (
        <>
          <img className={styles.qr} src={factor.totp.qrCodeUrl} alt={texts.mfaQr} width="280" height="280" />
          <a className={styles.openApp} href={factor.totp.uri}>
            {texts.mfaOpen}
          </a>
        </>
      )}
      <SecretKey secret={factor.totp?.secret ?? ''} />
      <FormMessages error={form.problem} />
      <CodeField label={texts.mfaCode} maxLength={9} required {...form.field('code')} />
      <TextField
        label={texts.mfaName}
        hint={texts.mfaNameHint}
        required
        maxLength={80}
        autoComplete="off"
        {...form.field('name')}
      />
      <div className={layout.row}>
        <CountdownButton type="submit" look="primary" pending={form.pending} untilMs={form.retryAtMs}>
          {texts.mfaVerify}
        </CountdownButton>
        <Button onClick={onCancel}>{texts.cancel}</Button>
      </div>
    </form>
  );
}

/** Verifies and names the factor. */
function useEnrollmentForm({ factor, otherNames, isFirst, onAdded }: MfaEnrollmentProps) {
  const texts = accountTexts.use();
  const rules = credentialTexts.use();
  const clients = useClients();
  const { auth, loadRest, platform } = clients;
  const enrolledName = factor.friendlyName ?? texts.mfaUnnamed;
  /** Undefined if it fails, because the factor is already verified. */
  const attempt = async <T,>(call: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await call();
    } catch (problem) {
      platform.report(problem);
      return undefined;
    }
  };
  /** @returns the resulting name. */
  const rename = async (name: string) => {
    if (name === enrolledName) return name;
    const renamed = await attempt(async () =>
      createAccountApi(await loadRest()).renameFactor(factor.id, name),
    );
    return renamed ?? enrolledName;
  };
  return useForm({
    initial: { code: '', name: enrolledName },
    validate({ code, name }) {
      const isTaken = otherNames.includes(name.trim());
      const nameProblem = name.trim() === '' ? texts.mfaNameMissing : texts.mfaNameTaken;
      return {
        code: checkCode(code, rules, authenticatorCodeLength),
        name: name.trim() === '' || isTaken ? nameProblem : undefined,
      };
    },
    submit: ({ code, name }) =>
      runFormAction(['code'], async () => {
        await createMfa(auth).challengeAndVerify({ factorId: factor.id, code: compactCode(code) });
        const shownName = await rename(name.trim());
        // The proof at the start of the enrollment is still recent; the new factor is not a proof yet.
        const codes = isFirst
          ? await attempt(async () => (await loadRecoveryCodes(clients, null)).create())
          : null;
        await onAdded(shownName, codes ?? null);
      }),
  });
}

/** The key, for apps that cannot scan the code. */
function SecretKey({ secret }: { readonly secret: string }) {
  const texts = accountTexts.use();
  const key = useRef<HTMLElement>(null);
  const { isCopied, copy } = useCopy(
    secret,
    () => key.current && getSelection()?.selectAllChildren(key.current),
  );
  return (
    <details className={styles.key}>
      <summary>{texts.mfaSecret}</summary>
      <code ref={key} className={styles.secret}>
        {inGroups(secret)}
      </code>
      <Button look="link" onClick={() => void copy()}>
        {texts.mfaCopy}
      </Button>
      <FormMessages
        error={isCopied === false && texts.mfaCopyRefused}
        success={isCopied && texts.mfaCopied}
      />
    </details>
  );
}

/** In groups of four, for typing. */
function inGroups(secret: string): string {
  return secret.replace(/(.{4})(?=.)/g, '$1 ');
}
