import { WebSocket } from 'ws';
import type { Socket } from '../../src/platform/platform.ts';
import { adaptWebSocket } from '../../src/platform/web-socket.ts';

/** Opens a websocket in Node, whose older versions have no global `WebSocket`. For `Platform.openSocket`. */
export const openNodeSocket = (url: string): Socket => adaptWebSocket(new WebSocket(url));
