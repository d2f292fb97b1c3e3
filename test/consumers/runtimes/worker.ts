// A web worker or a service worker: the page sends the options, and receives one message per step.
import { type JourneyOptions, runJourney } from './journey.js';

addEventListener('message', (event: MessageEvent<Omit<JourneyOptions, 'report'>>) => {
  // A worker responds to its page; a service worker responds to the client that sent the message.
  const port = (event.source ?? globalThis) as { postMessage(message: object): void };
  runJourney({ ...event.data, report: (step) => port.postMessage(step) }).catch((problem: unknown) =>
    port.postMessage({ problem: String(problem) }),
  );
});
