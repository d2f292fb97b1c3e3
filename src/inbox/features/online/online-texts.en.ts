export const texts = {
  online: 'Online',
};
