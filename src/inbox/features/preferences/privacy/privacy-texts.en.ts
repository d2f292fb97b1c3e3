export const texts = {
  title: 'Privacy',
  showOnline: 'Show when I’m online',
  showOnlineHint:
    'People who share an accepted invitation with you see a dot beside your name. Blocked senders don’t.',
};
