import { useState } from 'react';
import type { AuthClient } from 'supabase-protocol-clients/auth-client';
import { createOAuthServer, type Authorization } from 'supabase-protocol-clients/auth-client/oauth-server';

/** Browsers verify hosts; for a native application, only the scheme shows who opens the link. */
function receiverOf(redirectUri: string): string {
  const { host, protocol } = new URL(redirectUri);
  return protocol === 'https:' || protocol === 'http:' ? host : protocol;
}

const leaveFor = (redirectUrl: string) => location.assign(redirectUrl);

interface ConsentProps {
  readonly auth: AuthClient;
  readonly authorizationId: string;
  /** Default: navigates to the application. */
  readonly leave?: (redirectUrl: string) => void;
}

/** For a user who has signed in, including a second factor: sign in first, and return to this URL. */
export function Consent({ auth, authorizationId, leave = leaveFor }: ConsentProps) {
  const [oauthServer] = useState(() => createOAuthServer(auth));
  const [request, setRequest] = useState<Authorization>();
  const [problem, setProblem] = useState('');
  const run = async (call: Promise<Authorization>) => {
    try {
      const next = await call;
      if (next.redirectUrl === null) setRequest(next);
      else leave(next.redirectUrl);
    } catch (error) {
      setProblem((error as Error).message);
    }
  };
  if (problem) return <p role="alert">{problem}</p>;
  // Read on a click: StrictMode runs an effect twice, and the service may respond to a request only once.
  if (!request || request.redirectUrl !== null)
    return (
      <button onClick={() => void run(oauthServer.getAuthorization({ authorizationId }))}>Continue</button>
    );
  const { application, scopes, user, redirectUri } = request;
  return (
    <>
      <h1>
        <bdi>{application.name?.replace(/\p{C}/gu, '') || 'An application'}</bdi> wants to use your account
      </h1>
      <p>{`${user.email} · ${scopes.join(', ')} · leads to ${receiverOf(redirectUri)}`}</p>
      <button onClick={() => void run(oauthServer.approveAuthorization({ authorizationId }))}>Allow</button>
      <button onClick={() => void run(oauthServer.denyAuthorization({ authorizationId }))}>Refuse</button>
    </>
  );
}
