import { WebSocket } from 'ws';

/** The vendor's client requires a WebSocket when it is created; Node 20 has none. */
export const transport = WebSocket as unknown as typeof globalThis.WebSocket;
