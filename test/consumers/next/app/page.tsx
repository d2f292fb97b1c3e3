import { createPageClients } from '../clients';

/** A server component. */
export default async function Page() {
  const { auth } = await createPageClients();
  const token = await auth.getAccessToken();
  return <p>{token ? `Signed in as ${(await auth.getUser()).email}` : 'Signed out'}</p>;
}
