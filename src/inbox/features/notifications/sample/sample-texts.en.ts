export const texts = {
  send: 'Send me a sample',
  sent: 'A sample is on its way.',
  failed: 'Couldn’t send a sample. Check the terminal of npm start.',
};

export type SampleTexts = typeof texts;
