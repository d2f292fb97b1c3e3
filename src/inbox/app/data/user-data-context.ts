import { createContext, useContext } from 'react';
import type { UserData } from './user-data.ts';

export const UserDataContext = createContext<UserData | null>(null);

export function useUserData(): UserData {
  const userData = useContext(UserDataContext);
  if (!userData) throw new Error('No user data: render within <InboxFrame>');
  return userData;
}
