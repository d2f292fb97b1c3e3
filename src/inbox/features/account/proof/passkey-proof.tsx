import { useState } from 'react';
import { createPasskeys, type WebAuthn } from 'supabase-protocol-clients/auth-client/passkeys';
import { runFormAction } from '../../../shared/auth-problem/auth-problem.ts';
import { useClients } from '../../../shared/clients/clients-context.ts';
import { rememberPasskeyUse } from '../../../shared/known-passkey.ts';
import { Button } from '../../../ui/button.tsx';
import { FormMessages } from '../../../ui/page/message.tsx';
import { accountTexts } from '../account-texts.ts';

export interface PasskeyProofProps {
  readonly userId: string;
  readonly onProven: () => void;
}

/** Proves the user's identity by a passkey of the account. */
export function PasskeyProof({ userId, onProven }: PasskeyProofProps) {
  const texts = accountTexts.use().proof;
  const { auth } = useClients();
  const [pending, setPending] = useState(false);
  const [problem, setProblem] = useState<string>();
  const prove = async () => {
    setPending(true);
    setProblem(undefined);
    let isForeign = false;
    const webAuthn = refuseForeignPasskeys(userId, () => (isForeign = true));
    const failure = await runFormAction([], async () => {
      await createPasskeys(auth, { userVerification: 'required', webAuthn }).signInWithPasskey();
      rememberPasskeyUse();
      onProven();
    });
    setPending(false);
    setProblem(isForeign ? texts.foreignPasskey : failure?.message);
  };
  return (
    <>
      <FormMessages error={problem} />
      <Button wide pending={pending} onClick={() => void prove()}>
        {texts.byPasskey}
      </Button>
    </>
  );
}

/** The page's Web Authentication API, without the passkeys of other accounts: the server would sign the page in to those. */
function refuseForeignPasskeys(userId: string, onForeign: () => void): WebAuthn {
  const { credentials } = navigator;
  return {
    publicKeyCredential: PublicKeyCredential,
    credentials: {
      create: (options) => credentials.create(options),
      async get(options) {
        const credential = await credentials.get(options);
        if (readUserHandle(credential) === userId) return credential;
        onForeign();
        return null;
      },
    },
  };
}

/** The id of the user whose passkey it is, as the auth service names users to authenticators. */
function readUserHandle(credential: Credential | null): string | null {
  const response: unknown = credential && 'response' in credential ? credential.response : null;
  const { userHandle } = Object(response) as { readonly userHandle?: ArrayBuffer | null };
  return userHandle ? new TextDecoder().decode(userHandle) : null;
}
