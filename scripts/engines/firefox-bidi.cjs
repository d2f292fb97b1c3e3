#!/usr/bin/env node
/**
 * Starts an installed Firefox for Playwright, which drives it by WebDriver BiDi, and passes their messages on, with two changes:
 * Firefox 153 does not know `emulation.setMediaFeaturesOverride`, without which Playwright opens no context; and Playwright's `fill` sets
 * `value` past React, which then restores the earlier value.
 *
 * Environment: FIREFOX_PATH (the Firefox of Debian or Ubuntu).
 */
const { spawn } = require('node:child_process');
const { existsSync } = require('node:fs');
const { createInterface } = require('node:readline');
const { WebSocket, WebSocketServer } = require('ws');

const unknownCommand = 'emulation.setMediaFeaturesOverride';
const setThroughPrototype = (value) =>
  `Object.getOwnPropertyDescriptor(Object.getPrototypeOf(inputElement), 'value').set.call(inputElement, ${value});`;
const statements = [
  ['inputElement.value += text;', setThroughPrototype('text')],
  ['inputElement.value = value;', setThroughPrototype('value')],
];
const textOf = (data) => Buffer.from(data).toString();
const limits = { maxPayload: 2 ** 30, perMessageDeflate: false };

const path =
  process.env.FIREFOX_PATH ?? ['/usr/bin/firefox-esr', '/usr/bin/firefox'].find((each) => existsSync(each));
if (path === undefined) {
  console.error('Firefox is missing. Install it: apt-get install firefox-esr, or set FIREFOX_PATH.');
  process.exit(1);
}
const firefox = spawn(path, process.argv.slice(2), { stdio: ['ignore', 'inherit', 'pipe'] });
firefox.on('exit', (code) => process.exit(code ?? 1));
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => firefox.kill(signal));

createInterface(firefox.stderr).on('line', (line) => {
  const url = /WebDriver BiDi listening on (ws:\/\/\S+)/.exec(line)?.[1];
  if (url === undefined) console.error(line);
  else passOn(url);
});

function passOn(target) {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1', ...limits });
  server.on('listening', () =>
    console.error(`WebDriver BiDi listening on ws://127.0.0.1:${server.address().port}`),
  );
  server.on('connection', (playwright, { url }) => {
    const browser = new WebSocket(target + url, limits);
    const waiting = [];
    playwright.on('message', (data) => {
      const text = statements.reduce((all, [from, to]) => all.replaceAll(from, to), textOf(data));
      if (text.includes(unknownCommand)) {
        const { id, method } = JSON.parse(text);
        if (method === unknownCommand)
          return playwright.send(JSON.stringify({ type: 'success', id, result: {} }));
      }
      if (browser.readyState === WebSocket.OPEN) browser.send(text);
      else waiting.push(text);
    });
    browser.on('open', () => waiting.splice(0).forEach((text) => browser.send(text)));
    browser.on('message', (data) => playwright.send(textOf(data)));
    for (const event of ['close', 'error']) browser.on(event, () => playwright.close());
    playwright.on('close', () => browser.close());
  });
}
