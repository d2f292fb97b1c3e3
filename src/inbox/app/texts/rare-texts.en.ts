export const texts = {
  invitations: 'Invitations',
  newVersion: 'A new version is ready.',
  notFound: 'Page not found',
  notFoundText: 'We can’t find that page. The link may be old or mistyped.',
  shell: 'Ready',
  shellText: 'The app is loaded. Open your inbox to continue.',
  configuration: 'This app isn’t set up yet',
};

export type RareTexts = typeof texts;
