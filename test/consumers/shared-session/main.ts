// The vendor's client for pages and this library's, on one page and one cookie.
import { createBrowserClient } from '@supabase/ssr';
import { createSupabaseClients } from 'supabase-protocol-clients';

const [url = '', apiKey = ''] = decodeURIComponent(location.hash.slice(1)).split(' ');
const credentials = { email: 'ada@example.com', password: 'inbox-development' };

/** A new instance each time, as a reload would make it. */
const openOurs = async () => {
  const { auth } = createSupabaseClients({ url, apiKey });
  await auth.start();
  return auth;
};
const openVendors = () => createBrowserClient(url, apiKey, { isSingleton: false }).auth;

const page = {
  async signInWithOurs() {
    const auth = await openOurs();
    await auth.signInWithPassword(credentials);
    auth.close();
  },
  async signInWithVendors() {
    const { error } = await openVendors().signInWithPassword(credentials);
    if (error) throw error;
  },
  async readWithOurs() {
    const auth = await openOurs();
    const session = await auth.getSession();
    auth.close();
    return session && { email: session.user.email, accessToken: session.accessToken };
  },
  async readWithVendors() {
    const { session } = (await openVendors().getSession()).data;
    return session && { email: session.user.email, accessToken: session.access_token };
  },
  async refreshWithOurs() {
    const auth = await openOurs();
    await auth.refreshSession();
    auth.close();
  },
  async refreshWithVendors() {
    const { error } = await openVendors().refreshSession();
    if (error) throw error;
  },
  async signOutWithOurs() {
    const auth = await openOurs();
    await auth.signOut();
    auth.close();
  },
  async signOutWithVendors() {
    const { error } = await openVendors().signOut();
    if (error) throw error;
  },
};

export type Page = typeof page;
Object.assign(globalThis, { page });
