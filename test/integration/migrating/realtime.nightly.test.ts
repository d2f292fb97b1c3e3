import { testRows } from './page.ts';
import { channelRows } from './realtime-channels.ts';
import { messageRows } from './realtime-messages.ts';
import { createRealtimeTools } from './realtime-tools.ts';

const tools = createRealtimeTools();

testRows('Realtime', [...channelRows(tools), ...messageRows(tools)], {
  ...tools,
  elsewhere: {
    '`endpointURL()`, options `encode`, `decode`': 'test/realtime-client/frames.test.ts',
    '`send({ …, persist })`, `httpSend(…, { persist })`': 'test/integration/realtime-features.test.ts',
  },
});
