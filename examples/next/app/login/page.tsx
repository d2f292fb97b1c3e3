import { Suspense } from 'react';
import { sendLink, signIn, signUp } from './actions';

interface Props {
  readonly searchParams: Promise<{ readonly problem?: string; readonly sent?: string }>;
}

export default function Page({ searchParams }: Props) {
  return (
    <main>
      <h1>Sign in</h1>
      <form action={signIn}>
        <label>
          Email <input name="email" type="email" autoComplete="username" required />
        </label>
        <label>
          Password <input name="password" type="password" autoComplete="current-password" />
        </label>
        <button>Sign in</button>
        <button formAction={signUp}>Create an account</button>
        <button formAction={sendLink}>Email me a link</button>
      </form>
      <Suspense>
        <Outcome searchParams={searchParams} />
      </Suspense>
    </main>
  );
}

async function Outcome({ searchParams }: Props) {
  const { problem, sent } = await searchParams;
  if (sent) return <p role="status">Look into your mailbox.</p>;
  return problem ? <p role="alert">{problem}</p> : null;
}
