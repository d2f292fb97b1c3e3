import { defineTexts, type Translation } from '../ui/texts.ts';

const english = {
  skipToContent: 'Skip to content',
  navigation: 'Main',
  views: 'Views',
  inbox: 'Inbox',
  inboxTab: (unread: number) => (unread > 0 ? `Inbox, ${unread} unread` : 'Inbox'),
  preferences: 'Preferences',
  account: 'Account',
  accountMenu: (email: string) => `Account menu: ${email}`,
  signOut: 'Sign out',
  display: 'Display',
  theme: 'Theme',
  themes: { system: 'System', light: 'Light', dark: 'Dark' },
  language: 'Language',
  paused: 'In-app notifications are off. Nothing new arrives here.',
  offline: 'You’re offline.',
  offlineList: (time: string) => `You’re offline. This list is from ${time}.`,
  firstVisit: 'Three quick questions',
  firstVisitText: 'You can change all of this later in your preferences.',
  skip: 'Skip',
  done: 'Done',
  messages: 'Messages',
  dismiss: 'Dismiss',
  toInbox: 'Go to your inbox',
  broken: 'Something went wrong',
  brokenText: 'This page ran into a problem. Your data is safe on the server.',
  missingText: 'Part of the app couldn’t be loaded. Check your connection and try again.',
  tryAgain: 'Try again',
  reload: 'Reload',
  clearCookies: 'Clear cookies and start over',

  invitations: 'Invitations',
  newVersion: 'A new version is ready.',
  notFound: 'Page not found',
  notFoundText: 'We can’t find that page. The link may be old or mistyped.',
  configuration: 'This app isn’t set up yet',
};

export type AppTexts = Translation<typeof english>;

/** The texts of the shell: navigation, display, errors. */
export const appTexts = defineTexts<AppTexts>(english, () => import('./app-texts.de.ts'));
